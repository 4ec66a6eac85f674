import { createHash, createHmac } from 'node:crypto'

export const base62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

/** Makes `<prefix><length random base62 characters>`. Passed as an argument, so that tests can replace it. */
export type NewId = (prefix: string, length?: number) => string

/** Makes a random id; 24 characters carry 142 bits. */
export const newId: NewId = (prefix, length = 24) => prefix + randomText(length, base62)

/**
 * Returns characters of an alphabet from the system's cryptographic generator. Discards bytes above the last multiple
 * of the alphabet's length, so that every character is equally likely.
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

/**
 * Returns characters of an alphabet that are derived from a random secret and reveal nothing about it. Equal labels
 * give equal characters. They are the digits of a number of 512 bits, which makes 40 characters practically equally
 * likely.
 */
export function derivedText({ secret, label }: Derivation, length: number, alphabet: string): string {
  const base = BigInt(alphabet.length)
  let rest = BigInt(`0x${createHmac('sha512', secret).update(label).digest('hex')}`)
  let text = ''
  while (text.length < length) {
    text += alphabet[Number(rest % base)]
    rest /= base
  }
  return text
}

interface Derivation {
  readonly secret: string
  /** Name and number of the derived text. */
  readonly label: string
}

/**
 * Returns the SHA-256 of a random secret for storage. The time of a look-up by it reveals nothing about other secrets.
 */
export function secretHash(secret: string): Uint8Array {
  return createHash('sha256').update(secret).digest()
}
