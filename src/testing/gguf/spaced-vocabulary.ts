import type { Vocabulary } from './random-model.ts'

const [normalToken, unknownToken, controlToken, byteToken] = [1, 2, 3, 6]
const letters = [...'abcdefghijklmnopqrstuvwxyz']

/** Returns a vocabulary of bytes and small letters that puts a space before every text, like those of SentencePiece. */
export function spacedVocabulary(moreControlTokens: readonly string[]): Vocabulary {
  const bytes = Array.from({ length: 256 }, (_, byte) => `<0x${byte.toString(16).toUpperCase().padStart(2, '0')}>`)
  const typed = [
    ['<unk>', unknownToken] as const,
    ...['<s>', '</s>'].map((text) => [text, controlToken] as const),
    ...bytes.map((text) => [text, byteToken] as const),
    ...['▁', ...letters].map((text) => [text, normalToken] as const),
    ...moreControlTokens.map((text) => [text, controlToken] as const),
  ]
  const metadata: Vocabulary['metadata'] = new Map([
    ['tokenizer.ggml.model', { type: 'string', value: 'llama' }],
    ['tokenizer.ggml.tokens', { type: 'strings', values: typed.map(([text]) => text) }],
    ['tokenizer.ggml.scores', { type: 'float32s', values: new Float32Array(typed.length) }],
    ['tokenizer.ggml.token_type', { type: 'int32s', values: Int32Array.from(typed, ([, type]) => type) }],
    ['tokenizer.ggml.add_bos_token', { type: 'bool', value: true }],
  ])
  return { metadata, size: typed.length, outputBias: new Map() }
}
