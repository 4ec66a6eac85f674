/** Places on an upstream server. */
import type { JsonObject } from '../../core/json.ts'

export interface ServerPath {
  /** Begins with a slash: `/chat/completions`. */
  readonly path: string
  /** True for a path beside the endpoint's base URL, which ends in `/v1`, not below it. */
  readonly isAtRoot?: boolean | undefined
}

/** A POST request to a server. */
export interface ServerCall extends ServerPath {
  readonly body: JsonObject
}

/** Returns the whole URL of a path on an endpoint. */
export function urlOf(endpoint: string, { path, isAtRoot = false }: ServerPath): string {
  return (isAtRoot ? endpoint.replace(/\/v1$/, '') : endpoint) + path
}
