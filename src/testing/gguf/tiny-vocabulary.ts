import type { Vocabulary } from './random-model.ts'
import type { GgufValue } from './value.ts'

const normalToken = 1
const controlToken = 3
/** Words that are single tokens, so that tokens of several characters occur. */
const words = [' the', ' and', ' you', ' are', ' that', 'ing', 'hello', 'world', ' one', ' two', ' three']

export interface TinyVocabularyOptions {
  /** Bytes that may be generated: `ascii` allows printable ASCII only, `bytes` any byte. */
  readonly output: 'ascii' | 'bytes'
  /** Bias on the logits of the tokens that end an answer. */
  readonly endBias: number
  /** Text of the tokens that begin a conversation and end an answer, as templates write them. */
  readonly marks?: { readonly begin: string; readonly end: string }
  /** Further tokens that are never generated. */
  readonly moreControlTokens?: readonly string[]
  /** Further tokens that may be generated, though no text is tokenized to them. */
  readonly moreTokens?: readonly string[]
  /** Keys below `tokenizer.ggml.` that name a control token, with the token's text. */
  readonly tokenKeys?: Readonly<Record<string, string>>
  /** True if texts begin with the token that begins a conversation. */
  readonly addsStart?: boolean
}

const chatmlMarks = { begin: '<|endoftext|>', end: '<|im_end|>' }

/** Returns a byte-level vocabulary of some 300 tokens: all 256 bytes, a few words, and by default ChatML's markers. */
export function tinyVocabulary(options: TinyVocabularyOptions): Vocabulary {
  const {
    output,
    endBias,
    marks = chatmlMarks,
    moreControlTokens = [],
    moreTokens = [],
    tokenKeys = {},
    addsStart = false,
  } = options
  const controlTokens = [marks.begin, '<|im_start|>', marks.end, ...moreControlTokens]
  const isEnd = (text: string) => text === marks.begin || text === marks.end
  const tokens = Array.from({ length: 256 }, (_, byte) => byteSymbol(byte))
  const merges: string[] = []
  for (const word of words) addWord(word, tokens, merges)
  const firstControl = tokens.length
  tokens.push(...controlTokens, ...moreTokens)

  const outputBias = new Map<number, number>()
  for (let byte = 0; byte < 256; byte++) {
    if (output === 'ascii' && (byte < 32 || byte > 126)) outputBias.set(byte, -1000)
  }
  controlTokens.forEach((text, index) => {
    outputBias.set(firstControl + index, isEnd(text) ? endBias : -1000)
  })

  const types = new Int32Array(tokens.length)
    .fill(normalToken)
    .fill(controlToken, firstControl, firstControl + controlTokens.length)
  const metadata = new Map<string, GgufValue>([
    ['tokenizer.ggml.model', { type: 'string', value: 'gpt2' }],
    ['tokenizer.ggml.pre', { type: 'string', value: 'gpt-2' }],
    ['tokenizer.ggml.tokens', { type: 'strings', values: tokens }],
    ['tokenizer.ggml.token_type', { type: 'int32s', values: types }],
    ['tokenizer.ggml.merges', { type: 'strings', values: merges }],
    ['tokenizer.ggml.bos_token_id', { type: 'uint32', value: firstControl }],
    ['tokenizer.ggml.eos_token_id', { type: 'uint32', value: firstControl + controlTokens.indexOf(marks.end) }],
    ['tokenizer.ggml.add_bos_token', { type: 'bool', value: addsStart }],
  ])
  for (const [key, text] of Object.entries(tokenKeys)) {
    metadata.set(`tokenizer.ggml.${key}`, { type: 'uint32', value: firstControl + controlTokens.indexOf(text) })
  }
  return { metadata, size: tokens.length, outputBias }
}

/**
 * Returns the character for a byte in byte-level vocabularies: itself if it is visible in Latin-1, else the next free
 * one from U+0100 on.
 */
function byteSymbol(byte: number): string {
  if (isVisible(byte)) return String.fromCodePoint(byte)
  let hiddenBefore = 0
  for (let other = 0; other < byte; other++) if (!isVisible(other)) hiddenBefore++
  return String.fromCodePoint(256 + hiddenBefore)
}

function isVisible(byte: number): boolean {
  return (byte >= 33 && byte <= 126) || (byte >= 161 && byte !== 173)
}

function addWord(word: string, tokens: string[], merges: string[]): void {
  const symbols = [...new TextEncoder().encode(word)].map(byteSymbol)
  let left = symbols[0] ?? ''
  for (const right of symbols.slice(1)) {
    const merged = left + right
    if (!tokens.includes(merged)) {
      tokens.push(merged)
      merges.push(`${left} ${right}`)
    }
    left = merged
  }
}
