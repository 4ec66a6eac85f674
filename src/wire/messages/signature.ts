import { createHash } from 'node:crypto'
import { sealReasoning } from '../chat/sealed-reasoning.ts'

/** The `signature` of a thinking block, made while its text comes in. Clients insist on a string and send it back. */
export interface Signature {
  add(text: string): void
  end(): string
}

/** `isTextOmitted`: the client is not given the thinking itself, so that only the signature can bring it back. */
export function createSignature({ isTextOmitted }: { readonly isTextOmitted: boolean }): Signature {
  return isTextOmitted ? new Seal() : new Digest()
}

/**
 * Nobody checks it, this server neither (conversations move between servers and vendors): it is a plain digest without
 * any secret, not empty, the same streamed and whole.
 */
class Digest implements Signature {
  readonly #hash = createHash('sha256')

  add(text: string): void {
    this.#hash.update(text)
  }

  end(): string {
    return this.#hash.digest('base64').slice(0, 24)
  }
}

/** Holds the text: an agent's calls would otherwise come back to a model that has forgotten why it made them. */
class Seal implements Signature {
  readonly #texts: string[] = []

  add(text: string): void {
    this.#texts.push(text)
  }

  end(): string {
    return sealReasoning(this.#texts.join(''))
  }
}
