import { parseJson } from './bodies/parse-json.ts'
import { readBody } from './bodies/read-body.ts'
import type { Exchange } from './exchange.ts'

/** Most bytes of bodies that may come without an API key: names, addresses, passwords */
const smallBytes = 16 * 1024
const timeoutMs = 10_000

/** Reads a body of bounded size as JSON. Throws ApiError 400 `invalid_json`, 408, 413 or 415. */
export async function readJson(
  { request, services, dialect }: Exchange<'config'>,
  limitBytes = smallBytes,
): Promise<unknown> {
  const { bodyLimitBytes, bodyTimeoutMs } = services.config
  const takesAnyType = dialect === 'ollama'
  const bounds = {
    takesAnyType,
    limitBytes: Math.min(bodyLimitBytes, limitBytes),
    timeoutMs: Math.min(bodyTimeoutMs, timeoutMs),
  }
  return parseJson(Buffer.concat(await readBody(request, bounds)))
}
