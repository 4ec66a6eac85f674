/** Turns the texts of requests into the rows that a model reads: prefixes, special tokens, limits. */
import type { PairTemplate, TextModelSettings } from '../../../core/text-model-settings.ts'
import type { EmbedRequest, RerankRequest } from '../../../core/texts.ts'
import type { Row } from './batch-rows.ts'
import { foreignTokens, noContent, queryTooLong, textFarTooLong, textTooLong } from './errors.ts'
import type { AnswerIds } from './scores.ts'
import { bareFrame, frameTokens, readTokenFrame, type TokenFrame, type Tokens } from './token-frame.ts'
import type { NativeTokenizer } from './tokenizer.ts'

interface TextRowsOptions {
  readonly tokenizer: NativeTokenizer
  readonly settings: TextModelSettings
  /** Most tokens of a row, special ones included. */
  readonly limitTokens: number
  /** True if the model has an input for the text of a pair that each token belongs to. */
  readonly wantsTypeIds: boolean
}

/** Limits of one tokenizer call: other requests run between calls, and memory stays small. */
const textsAtOnce = 32
const charactersAtOnce = 256 * 1024

/**
 * Most characters per token of any text. A text that is longer for the limit of tokens is refused unread, since
 * reading it takes unlimited memory.
 */
const charactersPerTokenLimit = 100

/** Characters of a document read per token of the limit. The rest would be cut anyway. */
const charactersRead = 32

const bare = { addSpecialTokens: false }

/** Returns whether the rows are still wanted. Called between tokenizer calls. */
type IsWanted = () => boolean
const always: IsWanted = () => true

/** Pairs of a query with each document: texts to tokenize, number of tokens kept of each, and how to make the rows. */
interface Pairs {
  readonly texts: readonly string[]
  readonly room: number
  /** Tokens of a text that precede its document. */
  readonly headTokens: number
  readonly around: (ids: readonly number[]) => readonly Tokens[]
}

export class TextRows {
  readonly #options: TextRowsOptions
  readonly #frame: { readonly single: TokenFrame; readonly pair: TokenFrame }
  readonly #droppedId: number | undefined

  private constructor(options: TextRowsOptions, single: TokenFrame, pair: TokenFrame) {
    const { tokenizer, settings } = options
    this.#options = options
    this.#frame = { single, pair }
    this.#droppedId = settings.dropToken === undefined ? undefined : tokenId(tokenizer, settings.dropToken)
  }

  /** Reads the tokenizer's special tokens. Throws if the manifest names tokens that the vocabulary lacks. */
  static async open(options: TextRowsOptions): Promise<TextRows> {
    const { tokenizer, settings } = options
    const read = (isPair: boolean) => (settings.specialTokens ? readTokenFrame(tokenizer, isPair) : bareFrame)
    const single = await read(false)
    return new TextRows(options, withLast(single, tokenizer, settings.appendToken), await read(true))
  }

  /**
   * Returns a row per input. Throws ApiError 400 for the first unreadable input, and an error once the rows are no
   * longer wanted. A cut input keeps its instruction and special tokens.
   */
  async embed({ inputs, inputType, truncate }: EmbedRequest, isWanted: IsWanted = always): Promise<Row[]> {
    const { settings, limitTokens } = this.#options
    for (const [index, input] of inputs.entries()) this.#requireReadable(input, `input[${index}]`, truncate)
    const prefix = { query: settings.queryPrefix, document: settings.documentPrefix, none: '' }[inputType ?? 'none']
    const strings = inputs.filter((input) => typeof input === 'string')
    const encoded = this.#tokenize(
      strings.map((text) => prefix + this.#readablePart(text, truncate)),
      isWanted,
    )
    const { before, after, firstType } = this.#frame.single
    const room = limitTokens - frameTokens(this.#frame.single)
    const [prefixIds = []] = truncate === 'start' && prefix !== '' ? await this.#idsOf([prefix]) : []
    const fit = (ids: readonly number[], isText: boolean) => {
      if (truncate === undefined) return ids
      return isText ? cut(ids, room, truncate, prefixIds.length) : cut(ids, limitTokens, truncate)
    }
    const rows: Row[] = []
    for (const [index, input] of inputs.entries()) {
      const isText = typeof input === 'string'
      const ids = fit(isText ? ((await encoded.next()).value ?? []) : input, isText)
      const own = { ids, typeIds: ids.map(() => firstType) }
      const row = this.#row(isText ? [before, own, after] : [own])
      if (row.ids.length === 0) throw noContent(`input[${index}]`)
      if (row.ids.length > limitTokens) throw textTooLong(`input[${index}]`, row.ids.length, limitTokens)
      rows.push(row)
    }
    return rows
  }

  /**
   * Returns a row per document. Documents are cut to fit unless `refuseLong` is set; a query is never cut. Throws as
   * `embed` does.
   */
  async rerank(request: RerankRequest, isWanted: IsWanted = always): Promise<Row[]> {
    const { query, documents, documentTokens = Number.POSITIVE_INFINITY, refuseLong } = request
    const { settings, limitTokens } = this.#options
    if (query.length > this.#limitCharacters) throw queryTooLong(limitTokens)
    if (refuseLong === true) {
      for (const [index, document] of documents.entries())
        this.#requireReadable(document, `documents[${index}]`, undefined)
    }
    const length = refuseLong === true ? this.#limitCharacters : limitTokens * charactersRead
    const readable = documents.map((document) => document.slice(0, length).toWellFormed())
    const { pairTemplate } = settings
    const { texts, room, headTokens, around } = await (pairTemplate === undefined
      ? this.#pairs(query, readable)
      : this.#written(pairTemplate, query, readable))
    if (room < 1) throw queryTooLong(limitTokens)
    const rows: Row[] = []
    for await (const ids of this.#tokenize(texts, isWanted)) {
      const param = `documents[${rows.length}]`
      if (refuseLong === true && ids.length > room) {
        throw textTooLong(param, limitTokens - room + ids.length, limitTokens)
      }
      const row = this.#row(around(ids.slice(0, Math.min(room, headTokens + documentTokens))))
      if (row.ids.length === 0) throw noContent(param)
      rows.push(row)
    }
    return rows
  }

  /** Returns pairs in the tokenizer's own format. */
  async #pairs(query: string, documents: readonly string[]): Promise<Pairs> {
    const { before, between, after, firstType, secondType } = this.#frame.pair
    const [first = []] = await this.#idsOf([query])
    const queryTokens = { ids: first, typeIds: first.map(() => firstType) }
    return {
      texts: documents,
      room: this.#options.limitTokens - frameTokens(this.#frame.pair) - first.length,
      headTokens: 0,
      around: (ids) => [before, queryTokens, between, { ids, typeIds: ids.map(() => secondType) }, after],
    }
  }

  /** Returns pairs written by a template. Only the document, at the end of the body, is cut. */
  async #written({ prefix, body, suffix }: PairTemplate, query: string, documents: readonly string[]): Promise<Pairs> {
    const [head = '', rest = ''] = splitAt(body, '{query}')
    const [middle = ''] = splitAt(rest, '{document}')
    const write = (document: string) => head + query + middle + document
    const [before = [], after = [], shortest = []] = await this.#idsOf([prefix, suffix, write('')])
    const room = this.#options.limitTokens - before.length - after.length
    return {
      texts: documents.map(write),
      room: shortest.length < room ? room : 0,
      headTokens: shortest.length,
      around: (ids) => [before, ids, after].map((part) => ({ ids: part, typeIds: part.map(() => 0) })),
    }
  }

  get #limitCharacters(): number {
    return this.#options.limitTokens * charactersPerTokenLimit
  }

  /** Returns the part of a text to tokenize: all of it, or as much as is read from the side that is kept. */
  #readablePart(text: string, truncate: EmbedRequest['truncate']): string {
    const limit = this.#limitCharacters
    if (text.length <= limit) return text
    return (truncate === 'start' ? text.slice(-limit) : text.slice(0, limit)).toWellFormed()
  }

  #requireReadable(input: string | readonly number[], param: string, truncate: EmbedRequest['truncate']): void {
    const { tokenizer, limitTokens } = this.#options
    if (typeof input === 'string') {
      if (truncate === undefined && input.length > this.#limitCharacters)
        throw textFarTooLong(param, input.length, limitTokens)
      return
    }
    const vocabularySize = tokenizer.getVocabSize(true)
    const foreign = input.find((id) => id >= vocabularySize)
    if (foreign !== undefined) throw foreignTokens(param, foreign, vocabularySize)
  }

  /** Yields the token ids of each text, in order. */
  async *#tokenize(texts: readonly string[], isWanted: IsWanted = always): AsyncGenerator<readonly number[]> {
    for (const chunk of chunksOf(texts)) {
      if (!isWanted()) throw new Error('nobody waits for these texts any more')
      for (const encoding of await this.#options.tokenizer.encodeBatch(chunk, bare)) {
        yield encoding.getIds().filter((id) => id !== this.#droppedId)
      }
    }
  }

  #idsOf(texts: readonly string[]): Promise<(readonly number[])[]> {
    return Array.fromAsync(this.#tokenize(texts))
  }

  #row(parts: readonly Tokens[]): Row {
    return {
      ids: Int32Array.from(parts.flatMap(({ ids }) => ids)),
      typeIds: this.#options.wantsTypeIds ? Uint8Array.from(parts.flatMap(({ typeIds }) => typeIds)) : undefined,
    }
  }
}

function* chunksOf(texts: readonly string[]): Generator<string[]> {
  let chunk: string[] = []
  let characters = 0
  for (const text of texts) {
    if (chunk.length === textsAtOnce || (chunk.length > 0 && characters + text.length > charactersAtOnce)) {
      yield chunk
      chunk = []
      characters = 0
    }
    chunk.push(text)
    characters += text.length
  }
  if (chunk.length > 0) yield chunk
}

/** Returns at most `room` ids. The first `keptTokens` are kept, on whichever side the text is cut. */
function cut(ids: readonly number[], room: number, side: 'start' | 'end', keptTokens = 0): readonly number[] {
  if (ids.length <= room || side === 'end') return ids.slice(0, room)
  const kept = Math.min(keptTokens, room)
  return [...ids.slice(0, kept), ...ids.slice(ids.length - (room - kept))]
}

/** Returns the text before and after the first `mark`. */
function splitAt(text: string, mark: string): readonly string[] {
  const at = text.indexOf(mark)
  return [text.slice(0, at), text.slice(at + mark.length)]
}

function tokenId(tokenizer: NativeTokenizer, token: string): number {
  const id = tokenizer.tokenToId(token)
  if (id === null) throw new Error(`the tokenizer has no token "${token}", which the manifest names`)
  return id
}

/** Returns the frame with a token at the end, unless it is already there. */
function withLast(frame: TokenFrame, tokenizer: NativeTokenizer, token: string | undefined): TokenFrame {
  if (token === undefined) return frame
  const id = tokenId(tokenizer, token)
  if (frame.after.ids.at(-1) === id) return frame
  return { ...frame, after: { ids: [...frame.after.ids, id], typeIds: [...frame.after.typeIds, frame.firstType] } }
}

/**
 * Returns rows of the vocabulary's last tokens, of these lengths at most: the graph of another tokenizer fails on
 * them.
 */
export function lastTokenRows(
  { tokenizer, limitTokens }: Pick<TextRowsOptions, 'tokenizer' | 'limitTokens'>,
  lengths: readonly number[],
): readonly Row[] {
  const count = tokenizer.getVocabSize(true)
  return lengths.map((length) => ({
    ids: Int32Array.from({ length: Math.min(length, limitTokens) }, (_, at) => count - 1 - (at % count)),
    typeIds: undefined,
  }))
}

/** Returns the answer tokens of a reranker that is asked in words; undefined for others. */
export function answerIdsOf(tokenizer: NativeTokenizer, { answerTokens }: TextModelSettings): AnswerIds | undefined {
  if (answerTokens === undefined) return undefined
  return { yes: tokenId(tokenizer, answerTokens.yes), no: tokenId(tokenizer, answerTokens.no) }
}
