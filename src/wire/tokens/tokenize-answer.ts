import type { TokenList } from '../../core/tokens.ts'
import type { WorkEvent } from '../../core/work.ts'
import type { AnswerCollector } from '../dialect.ts'
import type { TokenizeCall } from './parse-tokenize.ts'

const strict = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
const lenient = new TextDecoder('utf-8', { ignoreBOM: true })

/** Gathers lists of tokens into the answer of POST /tokenize, written piece by piece, as there may be millions. */
export class TokenizeAnswer implements AnswerCollector<WorkEvent<'tokens'>> {
  readonly #call: Pick<TokenizeCall, 'shape' | 'request'>
  readonly #lists: TokenList[] = []

  constructor(call: Pick<TokenizeCall, 'shape' | 'request'>) {
    this.#call = call
  }

  push(event: WorkEvent<'tokens'>): void {
    if (event.type === 'tokens') this.#lists.push(event)
  }

  end(): Iterable<string> {
    const { shape, request } = this.#call
    const hasPieces = 'hasPieces' in request && request.hasPieces
    return shape === 'vllm' ? this.#vllm(hasPieces) : this.#llamaServer(hasPieces)
  }

  *#vllm(hasPieces: boolean): Generator<string> {
    const count = this.#lists.reduce((sum, { tokens }) => sum + tokens.length, 0)
    yield `{"count":${count},"max_model_len":${this.#lists[0]?.contextTokens ?? 0},"tokens":`
    yield* this.#array(({ tokens }) => tokens.join())
    yield ',"token_strs":'
    if (hasPieces)
      yield* this.#array((list) => [...piecesOf(list)].map((piece) => JSON.stringify(lenient.decode(piece))).join())
    else yield 'null'
    yield '}'
  }

  *#llamaServer(hasPieces: boolean): Generator<string> {
    yield '{"tokens":'
    yield* hasPieces ? this.#array(withPieces) : this.#array(({ tokens }) => tokens.join())
    yield '}'
  }

  *#array(write: (list: TokenList) => string): Generator<string> {
    yield '['
    let isFirst = true
    for (const list of this.#lists) {
      if (list.tokens.length === 0) continue
      if (!isFirst) yield ','
      isFirst = false
      yield write(list)
    }
    yield ']'
  }
}

/** Returns entries with a piece each: a text, or its bytes if they are no text alone. */
function withPieces(list: TokenList): string {
  const pieces = [...piecesOf(list)]
  return Array.from(list.tokens, (id, index) => {
    const piece = pieces[index] ?? new Uint8Array()
    return JSON.stringify({ id, piece: textOf(piece) ?? [...piece] })
  }).join()
}

function* piecesOf({ pieces }: TokenList): Generator<Uint8Array> {
  if (pieces === undefined) return
  let begin = 0
  for (const end of pieces.ends) {
    yield pieces.bytes.subarray(begin, end)
    begin = end
  }
}

function textOf(bytes: Uint8Array): string | undefined {
  try {
    return strict.decode(bytes)
  } catch {
    return undefined
  }
}
