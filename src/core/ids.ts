import { createHash } from 'node:crypto'

const base62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

/** Makes `<prefix><length random base62 characters>`. Passed as an argument to whatever is tested. */
export type NewId = (prefix: string, length?: number) => string

/** A random id; 24 characters carry 142 bits. */
export const newId: NewId = (prefix, length = 24) => prefix + randomText(length, base62)

/**
 * Characters of an alphabet, from the system's cryptographic generator. Bytes above the last multiple of the alphabet's
 * length are discarded, so that every character is equally likely.
 */
export function randomText(length: number, alphabet: string): string {
  const limit = 256 - (256 % alphabet.length)
  let text = ''
  while (text.length < length) {
    for (const byte of crypto.getRandomValues(new Uint8Array(2 * length))) {
      if (byte < limit && text.length < length) text += alphabet[byte % alphabet.length]
    }
  }
  return text
}

/** SHA-256 of a random secret, as stored. The time of a look-up by it shows nothing about other secrets. */
export function secretHash(secret: string): Uint8Array {
  return createHash('sha256').update(secret).digest()
}
