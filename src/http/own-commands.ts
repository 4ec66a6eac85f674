/** Completes commands such as 'inferd list' in texts for clients, if the client runs on this machine. */
import { ApiError } from '../core/errors.ts'
import { type CommandReach, withOwnCommands } from '../core/own-commands.ts'
import { isLocal, type Peer } from './admin-reach.ts'
import type { HttpConfig } from './http-config.ts'

type Reader = Peer & { readonly services: { readonly config: Pick<HttpConfig, 'reach'> } }

/** Returns the parts that complete commands. Undefined for other machines, where a path of this one is useless. */
export function reachFor(reader: Reader): CommandReach | undefined {
  return isLocal(reader) ? reader.services.config.reach : undefined
}

/** Returns a text with commands that reach this server if the client runs on this machine, else the text unchanged. */
export function hint(reader: Reader, text: string): string {
  const reach = reachFor(reader)
  return reach === undefined ? text : withOwnCommands(text, reach)
}

/** Returns an error with completed commands in its message. */
export function withHint(reader: Reader, error: ApiError): ApiError {
  const { kind, message, cause, code, param, retryAfterSeconds, length, modelId } = error
  const completed = hint(reader, message)
  if (completed === message) return error
  return new ApiError(kind, completed, { code, param, retryAfterSeconds, length, modelId, cause })
}
