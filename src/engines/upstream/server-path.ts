/** Places on an upstream server. */
import type { JsonObject } from '../../core/json.ts'

export interface ServerPath {
  /** Begins with a slash: `/chat/completions`. */
  readonly path: string
  /** It is not below the endpoint's base URL, which ends in `/v1`, but beside it. */
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
