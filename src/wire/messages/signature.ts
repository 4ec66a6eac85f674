import { createHash } from 'node:crypto'
import { sealReasoning } from '../chat/sealed-reasoning.ts'

/** The `signature` of a thinking block, made while its text comes in. Clients insist on a string and send it back. */
export interface Signature {
  add(text: string): void
  end(): string
}

/**
 * `isTextOmitted`: the client is not given the thinking itself. Then the signature holds it, since an agent's calls would
 * otherwise come back to a model that has forgotten why it made them. Else the signature is not checked, since conversations
 * move between servers and vendors: it is a plain digest, not empty, the same streamed and whole.
 */
export function createSignature({ isTextOmitted }: { readonly isTextOmitted: boolean }): Signature {
  if (isTextOmitted) {
    const texts: string[] = []
    return { add: (text) => void texts.push(text), end: () => sealReasoning(texts.join('')) }
  }
  const hash = createHash('sha256')
  return { add: (text) => void hash.update(text), end: () => hash.digest('base64').slice(0, 24) }
}
