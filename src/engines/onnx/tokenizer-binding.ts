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

interface TokenizerClass {
  fromFile(file: string): NativeTokenizer
}

/** Opens a `tokenizer.json`, blocking: seconds for large vocabularies. Throws what the library says. */
export function openTokenizer(binding: string, file: string): NativeTokenizer {
  const module: { exports: { Tokenizer?: TokenizerClass } } = { exports: {} }
  process.dlopen(module, binding)
  const { Tokenizer } = module.exports
  if (Tokenizer === undefined) throw new Error(`${binding} is not the binding of the tokenizers`)
  const tokenizer = readFile(Tokenizer, file)
  // Files may bring limits and padding of whoever wrote them. Ours are the manifest's.
  tokenizer.disableTruncation()
  tokenizer.disablePadding()
  return tokenizer
}

function readFile(tokenizers: TokenizerClass, file: string): NativeTokenizer {
  try {
    return tokenizers.fromFile(file)
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new Error(`its tokenizer can not be read: ${reason}`)
  }
}
