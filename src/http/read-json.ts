import { parseJson, requireJsonType } from './bodies/parse-json.ts'
import { readBytes } from './bodies/read-bytes.ts'
import type { Exchange } from './services.ts'

/** Bodies that anybody may send: names, addresses, passwords. */
const limitBytes = 16 * 1024
const timeoutMs = 10_000

/** The small body of a request as JSON. Throws ApiError 400 `invalid_json`, 408, 413 or 415. */
export async function readJson({ request, services }: Exchange): Promise<unknown> {
  requireJsonType(request.headers.get('content-type'))
  const { bodyLimitBytes, bodyTimeoutMs } = services.config
  const bounds = { limitBytes: Math.min(bodyLimitBytes, limitBytes), timeoutMs: Math.min(bodyTimeoutMs, timeoutMs) }
  return parseJson(Buffer.concat(await readBytes(request, bounds)))
}
