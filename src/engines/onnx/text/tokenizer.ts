import { errorText } from '../../../core/error-text.ts'

/** Hugging Face's tokenizers, used directly: their JavaScript package cannot be loaded from a folder of our choice. */

/** The part of the binding that is used. */
interface NativeEncoding {
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

/** Opens a `tokenizer.json`, blocking for seconds with large vocabularies. Throws the library's error. */
export function openTokenizer(binding: string, file: string): NativeTokenizer {
  const module: { exports: { Tokenizer?: TokenizerClass } } = { exports: {} }
  process.dlopen(module, binding)
  const { Tokenizer } = module.exports
  if (Tokenizer === undefined) throw new Error(`${binding} is not the binding of the tokenizers`)
  const tokenizer = readFile(Tokenizer, file)
  // Truncation and padding come from the manifest, not from this file.
  tokenizer.disableTruncation()
  tokenizer.disablePadding()
  return tokenizer
}

function readFile(tokenizers: TokenizerClass, file: string): NativeTokenizer {
  try {
    return tokenizers.fromFile(file)
  } catch (error) {
    const reason = errorText(error)
    throw new Error(`its tokenizer cannot be read: ${reason}`)
  }
}
