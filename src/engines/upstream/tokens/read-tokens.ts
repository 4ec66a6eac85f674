/** Answers of servers about tokens, read without trust in their form. */
import { fieldOf, isObject, type JsonValue } from '../../../core/json.ts'
import { listedTokens, type TokenizerFacts, type TokenList } from '../../../core/tokens.ts'
import { malformedAnswer } from '../http/failure.ts'

/** Tokens of an answer, with the bytes of each if they were requested. */
export interface ReadTokens {
  readonly tokens: readonly number[]
  readonly pieces: readonly Uint8Array[] | undefined
}

/** Reads `tokens`, and pieces from `token_strs` or from entries with `piece`. Throws UpstreamFailure. */
export function readTokens(answer: unknown, hasPieces: boolean): ReadTokens {
  const entries = fieldOf(answer, 'tokens')
  if (!Array.isArray(entries)) throw malformedAnswer('no list of tokens')
  const tokens = entries.map((entry: JsonValue) => readId(isObject(entry) ? entry.id : entry))
  if (!hasPieces) return { tokens, pieces: undefined }
  const texts = fieldOf(answer, 'token_strs')
  const given: readonly unknown[] = Array.isArray(texts) ? texts : entries.map((entry) => fieldOf(entry, 'piece'))
  if (given.length !== tokens.length) throw malformedAnswer('not as many pieces as tokens')
  return { tokens, pieces: given.map(readPiece) }
}

/** Reads the text of tokens or of a prompt. Throws UpstreamFailure. */
export function readText(answer: unknown): string {
  for (const name of ['prompt', 'content', 'text']) {
    const text = fieldOf(answer, name)
    if (typeof text === 'string') return text.toWellFormed()
  }
  throw malformedAnswer('no text')
}

export function readFacts(answer: unknown, contextTokens: number): TokenizerFacts {
  const textOf = (name: string) => {
    const value = fieldOf(answer, name)
    // Hugging Face writes a token as a text, or as an object that holds it.
    const text = isObject(value) ? value.content : value
    return typeof text === 'string' ? text.toWellFormed() : undefined
  }
  return {
    type: 'tokenizer',
    startToken: textOf('bos_token'),
    endToken: textOf('eos_token'),
    padToken: textOf('pad_token'),
    chatTemplate: textOf('chat_template'),
    contextTokens,
  }
}

/** Returns the lists that make up the answer to the client. */
export function toLists({ tokens, pieces }: ReadTokens, contextTokens: number): TokenList[] {
  const lists: TokenList[] = []
  for (let at = 0; at === 0 || at < tokens.length; at += listedTokens) {
    const end = at + listedTokens
    lists.push({
      type: 'tokens',
      tokens: Int32Array.from(tokens.slice(at, end)),
      contextTokens,
      ...(pieces && { pieces: joinPieces(pieces.slice(at, end)) }),
    })
  }
  return lists
}

function joinPieces(pieces: readonly Uint8Array[]) {
  let end = 0
  const ends = Int32Array.from(pieces, (piece) => {
    end += piece.length
    return end
  })
  return { bytes: new Uint8Array(Bun.concatArrayBuffers([...pieces])), ends }
}

const mostId = 2 ** 31 - 1

function readId(value: unknown): number {
  if (typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= mostId) return value
  throw malformedAnswer('a token that is no id')
}

const encoder = new TextEncoder()

function readPiece(value: unknown): Uint8Array {
  if (typeof value === 'string') return encoder.encode(value)
  if (Array.isArray(value)) return Uint8Array.from(value, Number)
  throw malformedAnswer('a piece that is no text')
}
