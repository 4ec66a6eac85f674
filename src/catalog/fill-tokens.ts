/** Tokens for filling in the middle, found in a model's file as llama.cpp does: by keys, else by their texts. */

type Side = 'prefix' | 'suffix'

/** Keys below `tokenizer.ggml.`: the current one and the one in older files. */
const keys: Readonly<Record<Side, readonly string[]>> = {
  prefix: ['fim_pre_token_id', 'prefix_token_id'],
  suffix: ['fim_suf_token_id', 'suffix_token_id'],
}

/** Token texts. Both sides have the same order. */
export const fillTexts: Readonly<Record<Side, readonly string[]>> = {
  prefix: [
    '<|fim_prefix|>',
    '<fim-prefix>',
    '<fim_prefix>',
    '<｜fim▁begin｜>',
    '<PRE>',
    '▁<PRE>',
    '<|code_prefix|>',
    '<|prefix|>',
  ],
  suffix: [
    '<|fim_suffix|>',
    '<fim-suffix>',
    '<fim_suffix>',
    '<｜fim▁hole｜>',
    '<SUF>',
    '▁<SUF>',
    '<|code_suffix|>',
    '<|suffix|>',
  ],
}

const known = new Set([...fillTexts.prefix, ...fillTexts.suffix])
const lengths = new Set([...known].map((text) => Buffer.byteLength(text)))

/** Returns whether a fill-in-the-middle token may have this length. Other texts of the vocabulary are skipped. */
export function mayBeFillText(lengthBytes: number): boolean {
  return lengths.has(lengthBytes)
}

/**
 * Returns whether the file names tokens for both sides. `number` returns the value of a key. `texts` are the
 * vocabulary's candidates.
 */
export function namesFillTokens(
  number: (key: string) => number | undefined,
  vocabularySize: number,
  texts: ReadonlySet<string>,
): boolean {
  const isNamed = (side: Side) =>
    keys[side].some((key) => (number(`tokenizer.ggml.${key}`) ?? vocabularySize) < vocabularySize) ||
    fillTexts[side].some((text) => texts.has(text))
  return isNamed('prefix') && isNamed('suffix')
}
