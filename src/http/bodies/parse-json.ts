import { ApiError } from '../../core/errors.ts'

/** More than any client sends. Parsing sixty million brackets takes ten seconds. */
const maxDepth = 1_000

/** Enough for 10,000 messages beside 1,024 tools, five times over. A value costs up to 100 bytes and a microsecond. */
const maxValues = 2_000_000

/** The bytes as JSON. Throws ApiError 400 `invalid_json`, before anything is parsed where there are too many values. */
export function parseJson(bytes: Uint8Array): unknown {
  requireBounded(bytes)
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
  } catch (error) {
    throw invalidJson(bytes.length === 0 ? 'The body is empty.' : 'The body is not JSON in UTF-8.', error)
  }
}

/** Throws ApiError unless the header names JSON. A body without a type is taken as JSON: some clients send none. */
export function requireJsonType(header: string | null): void {
  const type = header?.split(/[;,]/)[0]?.trim().toLowerCase() ?? ''
  if (type !== '' && type !== 'application/json' && !/^application\/[\w.-]+\+json$/.test(type)) {
    throw invalidJson("The body must be JSON: send the header 'content-type: application/json'.")
  }
}

const quote = 0x22
const comma = 0x2c
const colon = 0x3a
const backslash = 0x5c

/** Counts what stands outside of quotes: opening brackets within each other, and all of them with commas and colons. */
function requireBounded(bytes: Uint8Array): void {
  let depth = 0
  let values = 1
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at] ?? 0
    if (byte === quote) {
      at = endOfText(bytes, at + 1)
      continue
    }
    // [ and ], { and } differ in this bit alone from each other.
    const bracket = byte & ~0x20
    if (bracket === 0x5d) depth--
    else if (bracket === 0x5b) {
      if (++depth > maxDepth) throw invalidJson(`The body is nested deeper than ${maxDepth} arrays and objects.`)
    } else if (byte !== comma && byte !== colon) continue
    if (++values > maxValues) throw invalidJson(`The body has more than ${maxValues} values.`)
  }
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

function invalidJson(message: string, cause?: unknown): ApiError {
  return new ApiError('invalid_request', message, { code: 'invalid_json', cause })
}
