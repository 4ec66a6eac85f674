/** Whether a model's file names tokens for filling in the middle, found as llama.cpp finds them: by keys, else by their texts. */

type Side = 'prefix' | 'suffix'

/** Below `tokenizer.ggml.`: today's key, and that of older files. */
const keys: Readonly<Record<Side, readonly string[]>> = {
  prefix: ['fim_pre_token_id', 'prefix_token_id'],
  suffix: ['fim_suf_token_id', 'suffix_token_id'],
}

/** Each with the one for the other side at its place. */
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

/** Of a vocabulary's texts only those of these lengths need be looked at. */
export function mayBeFillText(lengthBytes: number): boolean {
  return lengths.has(lengthBytes)
}

/** `number`: the value of a key, undefined where there is none. `texts`: those of the vocabulary that may be such tokens. */
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
