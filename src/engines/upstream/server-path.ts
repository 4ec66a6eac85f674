/** Paths on an upstream server. */
import type { JsonObject } from '../../core/json.ts'

export interface ServerPath {
  /** Path that begins with a slash, such as `/chat/completions`. */
  readonly path: string
  /** True for a path relative to the server's root instead of the endpoint's base URL, which ends in `/v1`. */
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
