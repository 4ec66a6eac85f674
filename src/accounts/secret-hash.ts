import { createHash } from 'node:crypto'

/** SHA-256 of a random secret, as stored. The time of a look-up by it shows nothing about other secrets. */
export function secretHash(secret: string): Uint8Array {
  return createHash('sha256').update(secret).digest()
}
