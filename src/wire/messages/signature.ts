import { createHash } from 'node:crypto'

/**
 * The `signature` of a thinking block, made while its text comes in. Clients insist on a string and send it back; nobody
 * checks it, this server neither (conversations move between servers and vendors), so it is a plain digest without any
 * secret: not empty, the same streamed and whole.
 */
export class Signature {
  readonly #hash = createHash('sha256')

  add(text: string): void {
    this.#hash.update(text)
  }

  end(): string {
    return this.#hash.digest('base64').slice(0, 24)
  }
}
