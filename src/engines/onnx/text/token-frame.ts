/** Special tokens that a tokenizer puts around texts. */
import type { NativeTokenizer } from './tokenizer.ts'

/** Token ids with their type ids. */
export interface Tokens {
  readonly ids: readonly number[]
  readonly typeIds: readonly number[]
}

export interface TokenFrame {
  readonly before: Tokens
  /** Tokens between the two texts of a pair. Empty for a single text. */
  readonly between: Tokens
  readonly after: Tokens
  /** Type ids of the texts themselves. */
  readonly firstType: number
  readonly secondType: number
}

/** Sample texts. Every text gets the same special tokens. */
const first = 'a'
const second = 'b'

/** Returns the tokens that `tokenizer` puts around a text, or around a pair. */
export async function readTokenFrame(tokenizer: NativeTokenizer, isPair: boolean): Promise<TokenFrame> {
  const bare = { addSpecialTokens: false }
  const whole = await tokenizer.encode(first, isPair ? second : null, { addSpecialTokens: true })
  const firstIds = (await tokenizer.encode(first, null, bare)).getIds()
  const secondIds = isPair ? (await tokenizer.encode(second, null, bare)).getIds() : []
  const ids = whole.getIds()
  const typeIds = whole.getTypeIds()
  const begin = find(ids, firstIds, 0)
  const secondBegin = find(ids, secondIds, begin + firstIds.length)
  const slice = (from: number, to: number): Tokens => ({ ids: ids.slice(from, to), typeIds: typeIds.slice(from, to) })
  return {
    before: slice(0, begin),
    between: slice(begin + firstIds.length, secondBegin),
    after: slice(secondBegin + secondIds.length, ids.length),
    firstType: typeIds[begin] ?? 0,
    secondType: typeIds[secondBegin] ?? 0,
  }
}

/** Returns the index of `part` in `ids`, at `from` or later. Throws if it is missing. */
function find(ids: readonly number[], part: readonly number[], from: number): number {
  for (let at = from; at + part.length <= ids.length; at++) {
    if (part.every((id, index) => ids[at + index] === id)) return at
  }
  throw new Error('the tokenizer changes a text when it puts its special tokens around it')
}

const nothing: Tokens = { ids: [], typeIds: [] }

/** Frame without special tokens. */
export const bareFrame: TokenFrame = {
  before: nothing,
  between: nothing,
  after: nothing,
  firstType: 0,
  secondType: 1,
}

/** Returns the number of tokens that a frame adds to its texts. */
export function frameTokens({ before, between, after }: TokenFrame): number {
  return before.ids.length + between.ids.length + after.ids.length
}
