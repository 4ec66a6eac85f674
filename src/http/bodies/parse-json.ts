import { ApiError } from '../../core/errors.ts'

/** Deepest nesting accepted. No client nests deeper, and parsing sixty million brackets takes ten seconds. */
const maxDepth = 1_000

/**
 * Most values accepted: five times those of 10,000 messages and 1,024 tools. A value costs up to 100 bytes and a
 * microsecond.
 */
const maxValues = 2_000_000

/** Parses the bytes as JSON. Throws ApiError 400 `invalid_json`. Refuses too many values before parsing any. */
export function parseJson(bytes: Uint8Array): unknown {
  requireBounded(bytes)
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
  } catch (error) {
    throw invalidJson(bytes.length === 0 ? 'The body is empty.' : 'The body is not JSON in UTF-8.', error)
  }
}

const quote = 0x22
const comma = 0x2c
const colon = 0x3a
const backslash = 0x5c

/** Bounds depth and number of values by counting the brackets, commas and colons outside of quotes. */
function requireBounded(bytes: Uint8Array): void {
  let depth = 0
  let values = 1
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at] ?? 0
    if (byte === quote) {
      at = endOfString(bytes, at + 1)
      continue
    }
    // Only this bit differs between [ and {, and between ] and }.
    const bracket = byte & ~0x20
    if (bracket === 0x5d) depth--
    else if (bracket === 0x5b) {
      if (++depth > maxDepth) throw invalidJson(`The body is nested deeper than ${maxDepth} arrays and objects.`)
    } else if (byte !== comma && byte !== colon) continue
    if (++values > maxValues) throw invalidJson(`The body has more than ${maxValues} values.`)
  }
}

/** Returns the index of the quote that ends a string, or the length. Searching is fast, and images are long strings. */
function endOfString(bytes: Uint8Array, start: number): number {
  let end = bytes.indexOf(quote, start)
  while (end !== -1 && isEscaped(bytes, end)) end = bytes.indexOf(quote, end + 1)
  return end === -1 ? bytes.length : end
}

/** Returns whether an odd number of backslashes precedes the character. */
function isEscaped(bytes: Uint8Array, at: number): boolean {
  let first = at
  while (bytes[first - 1] === backslash) first--
  return (at - first) % 2 === 1
}

export function invalidJson(message: string, cause?: unknown): ApiError {
  return new ApiError('invalid_request', message, { code: 'invalid_json', cause })
}
