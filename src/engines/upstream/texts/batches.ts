/** Divides a request's texts into calls. Pure. */
import { Buffer } from 'node:buffer'

/** Most tokens of a call by the upper estimate, which is twice the tokens of most texts. Some servers take 300,000. */
const callTokens = 250_000
const callTexts = 128

/** Returns an upper limit of a text's tokens. No tokenizer needs more than one per two bytes of real text. */
export function textTokensLimit(text: string): number {
  return Math.ceil(Buffer.byteLength(text) / 2) + 8
}

/** Returns the assumed tokens of a text if no server reports them. */
export function guessedTokens(input: string | readonly number[]): number {
  return typeof input === 'string' ? Math.ceil(input.length / 3) : input.length
}

export function sum(counts: readonly number[]): number {
  return counts.reduce((total, count) => total + count, 0)
}

/** Returns the indexes `[begin, end)` of each call, given the upper estimate of each text's tokens. */
export function batchesOf(tokens: readonly number[]): (readonly [begin: number, end: number])[] {
  const batches: (readonly [number, number])[] = []
  let begin = 0
  let sum = 0
  for (const [index, count] of tokens.entries()) {
    if (index > begin && (index - begin === callTexts || sum + count > callTokens)) {
      batches.push([begin, index])
      begin = index
      sum = 0
    }
    sum += count
  }
  if (begin < tokens.length) batches.push([begin, tokens.length])
  return batches
}
