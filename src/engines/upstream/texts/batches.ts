/** How the texts of one request are parted into calls. Pure. */
import { Buffer } from 'node:buffer'

/** Some servers take 300,000 tokens in a call; this is by the upper estimate, which is twice what most texts have. */
const callTokens = 250_000
const callTexts = 128

/** A text's tokens are fewer: no tokenizer needs more than one for two bytes of real text. */
export function textTokensLimit(text: string): number {
  return Math.ceil(Buffer.byteLength(text) / 2) + 8
}

/** What a text is taken to have where no server says it. */
export function guessedTokens(input: string | readonly number[]): number {
  return typeof input === 'string' ? Math.ceil(input.length / 3) : input.length
}

export function sum(counts: readonly number[]): number {
  return counts.reduce((total, count) => total + count, 0)
}

/** Indexes `[begin, end)` of each call, given the most tokens of each text. */
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
