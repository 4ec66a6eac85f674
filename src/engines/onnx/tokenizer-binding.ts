/** The tokenizers of Hugging Face, loaded from a folder of our choice. */

/** The part of its binding that we use. */
export interface NativeEncoding {
  getIds(): number[]
  getTypeIds(): number[]
}

export interface NativeTokenizer {
  encode(text: string, pair: string | null, options: { addSpecialTokens: boolean }): Promise<NativeEncoding>
  encodeBatch(texts: string[], options: { addSpecialTokens: boolean }): Promise<NativeEncoding[]>
  getVocabSize(withAddedTokens: boolean): number
  tokenToId(token: string): number | null
  disableTruncation(): void
  disablePadding(): void
}

/** Opens a `tokenizer.json`, blocking: seconds for large vocabularies. Throws what the library says. */
export function openTokenizer(binding: string, file: string): NativeTokenizer {
  const module: { exports: { Tokenizer?: { fromFile(file: string): NativeTokenizer } } } = { exports: {} }
  process.dlopen(module, binding)
  const { Tokenizer } = module.exports
  if (Tokenizer === undefined) throw new Error(`${binding} is not the binding of the tokenizers`)
  const tokenizer = Tokenizer.fromFile(file)
  // Files may bring limits and padding of whoever wrote them. Ours are the manifest's.
  tokenizer.disableTruncation()
  tokenizer.disablePadding()
  return tokenizer
}
