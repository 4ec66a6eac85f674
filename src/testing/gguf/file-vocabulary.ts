import type { Vocabulary } from './random-model.ts'
import { readGguf } from './read-gguf.ts'
import type { GgufValue } from './value.ts'

const normalToken = 1
const byteToken = 6

/**
 * Reads the tokenizer of an existing GGUF file, without its chat template. Everything but ordinary text tokens (end of
 * text, markers, padding) is biased away, so that a random model never ends by itself. Rejects if the file cannot be
 * read or holds no tokenizer.
 */
export async function fileVocabulary(path: string): Promise<Vocabulary> {
  const { metadata } = readGguf(await Bun.file(path).bytes())
  const kept = new Map<string, GgufValue>()
  for (const [key, value] of metadata) {
    if (key.startsWith('tokenizer.') && key !== 'tokenizer.chat_template') kept.set(key, value)
  }
  const tokens = kept.get('tokenizer.ggml.tokens')
  const types = kept.get('tokenizer.ggml.token_type')
  if (tokens?.type !== 'strings' || types?.type !== 'int32s') throw new Error(`${path} holds no tokenizer`)
  const outputBias = new Map<number, number>()
  types.values.forEach((type, token) => {
    if (type !== normalToken && type !== byteToken) outputBias.set(token, -1000)
  })
  // A chat turn ends with <|im_end|> if the vocabulary has it. Base vocabularies name the end of text instead.
  const turnEnd = tokens.values.indexOf('<|im_end|>')
  if (turnEnd >= 0) kept.set('tokenizer.ggml.eos_token_id', { type: 'uint32', value: turnEnd })
  return { metadata: kept, size: tokens.values.length, outputBias }
}
