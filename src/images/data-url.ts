import { Unreadable } from './unreadable.ts'

/** Start of a `data:` URL up to the comma: a media type with parameters, which is only a hint, and the encoding. */
const beginning = /^\s*data:([^,]{0,256}),/i

export function isDataUrl(url: string): boolean {
  return /^\s*data:/i.test(url.slice(0, 1024))
}

/**
 * Returns the bytes of a `data:` URL (RFC 2397) as clients write it: in any case, with parameters, white space, the
 * alphabet for URLs, escapes such as %2B, with or without padding. Throws Unreadable.
 */
export function decodeDataUrl(url: string): Uint8Array<ArrayBuffer> {
  const [head, type] = beginning.exec(url.slice(0, 1024)) ?? []
  if (head === undefined || type === undefined) throw new Unreadable('its data: URL has no comma before its bytes')
  if (!/;\s*base64\s*$/i.test(type)) throw new Unreadable('its data: URL is not base64')
  return decodeBase64(url.slice(head.length))
}

/** Decodes base64. White space, escapes, either alphabet and missing padding are accepted. Throws Unreadable. */
export function decodeBase64(text: string): Uint8Array<ArrayBuffer> {
  const bytes = decodeStrictly(text) ?? decodeStrictly(withoutSpace(unescaped(text)))
  if (bytes === undefined) throw new Unreadable('its base64 is damaged')
  return bytes
}

/**
 * Decodes base64; undefined if a character is invalid. The decoder skips such characters, so the result is too short.
 */
function decodeStrictly(text: string): Uint8Array<ArrayBuffer> | undefined {
  let length = text.length
  while (length > text.length - 2 && text[length - 1] === '=') length--
  const bytes = Buffer.from(text, 'base64')
  return length % 4 !== 1 && bytes.length === Math.floor((length * 3) / 4) ? new Uint8Array(bytes) : undefined
}

function unescaped(text: string): string {
  if (!text.includes('%')) return text
  try {
    return decodeURIComponent(text)
  } catch {
    throw new Unreadable('its data: URL has a damaged escape')
  }
}

function withoutSpace(text: string): string {
  return text.replace(/[\t\n\f\r ]+/g, '')
}
