import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import { ApiError } from '../core/errors.ts'

const inflate = promisify(gunzip)

/**
 * The request's body as JSON. Never holds more than `limitBytes` of it, neither as sent nor unpacked, whatever the
 * headers claim. Throws ApiError 400 `invalid_json`, 413 or 415.
 */
export async function readJson(request: Request, limitBytes: number): Promise<unknown> {
  requireJsonType(request.headers.get('content-type'))
  const isZipped = readEncoding(request.headers.get('content-encoding')) === 'gzip'
  const sent = await readBytes(request, limitBytes)
  const bytes = isZipped ? await unpack(sent, limitBytes) : sent
  if (isNestedDeeper(bytes, maxDepth))
    throw invalidJson(`The body is nested deeper than ${maxDepth} arrays and objects.`)
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
  } catch (error) {
    throw invalidJson(bytes.length === 0 ? 'The body is empty.' : 'The body is not JSON in UTF-8.', error)
  }
}

/** More than any client sends. Parsing sixty million brackets would take the whole server ten seconds. */
const maxDepth = 1_000

const quote = 0x22
const backslash = 0x5c

/** Whether a text that may be JSON opens more than `limit` brackets within each other. Text within quotes does not count. */
function isNestedDeeper(bytes: Uint8Array, limit: number): boolean {
  let depth = 0
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at]
    if (byte === quote) {
      at = endOfText(bytes, at + 1)
      continue
    }
    // [ and ], { and } differ in this bit alone from each other.
    const bracket = byte === undefined ? 0 : byte & ~0x20
    if (bracket === 0x5b) {
      if (++depth > limit) return true
    } else if (bracket === 0x5d) depth--
  }
  return false
}

/** Place of the quote that ends a text, or the end of all: images are long texts, and looking for it is fast. */
function endOfText(bytes: Uint8Array, start: number): number {
  let end = bytes.indexOf(quote, start)
  while (end !== -1 && isEscaped(bytes, end)) end = bytes.indexOf(quote, end + 1)
  return end === -1 ? bytes.length : end
}

/** Whether an odd number of backslashes stands before it. */
function isEscaped(bytes: Uint8Array, at: number): boolean {
  let first = at
  while (bytes[first - 1] === backslash) first--
  return (at - first) % 2 === 1
}

/** A body without a type is taken as JSON: some clients send none. */
function requireJsonType(header: string | null): void {
  const type = header?.split(/[;,]/)[0]?.trim().toLowerCase() ?? ''
  if (type !== '' && type !== 'application/json' && !/^application\/[\w.-]+\+json$/.test(type)) {
    throw invalidJson("The body must be JSON: send the header 'content-type: application/json'.")
  }
}

function readEncoding(header: string | null): 'none' | 'gzip' {
  const encoding = header?.trim().toLowerCase() ?? ''
  if (encoding === '' || encoding === 'identity') return 'none'
  if (encoding === 'gzip' || encoding === 'x-gzip') return 'gzip'
  throw new ApiError(
    'unsupported_media_type',
    'This content-encoding is not supported. Send the body plain or as gzip.',
    {
      code: 'unsupported_media_type',
    },
  )
}

async function readBytes(request: Request, limitBytes: number): Promise<Uint8Array> {
  const declared = request.headers.get('content-length')
  if (Number(declared ?? 0) > limitBytes) throw tooLarge(limitBytes)
  // The runtime never reads past a declared length; a body without one is counted while it comes in.
  if (declared !== null || request.body === null) return request.bytes()
  const pieces: Uint8Array[] = []
  let total = 0
  for await (const piece of request.body) {
    total += piece.length
    if (total > limitBytes) throw tooLarge(limitBytes)
    pieces.push(piece)
  }
  return Buffer.concat(pieces, total)
}

async function unpack(bytes: Uint8Array, limitBytes: number): Promise<Uint8Array> {
  try {
    return await inflate(bytes, { maxOutputLength: limitBytes })
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ERR_BUFFER_TOO_LARGE') throw tooLarge(limitBytes)
    throw invalidJson('The body is not gzip as its content-encoding says.', error)
  }
}

function invalidJson(message: string, cause?: unknown): ApiError {
  return new ApiError('invalid_request', message, { code: 'invalid_json', cause })
}

function tooLarge(limitBytes: number): ApiError {
  return new ApiError('payload_too_large', `The body may have at most ${limitBytes} bytes.`, {
    code: 'payload_too_large',
  })
}
