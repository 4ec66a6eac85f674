/** Turns the texts of requests into the rows that a model reads: prefixes, special tokens, limits. */
import type { PairTemplate, TextModelSettings } from '../../../core/text-model-settings.ts'
import type { EmbedRequest, RerankRequest } from '../../../core/texts.ts'
import { foreignTokens, noContent, queryTooLong, textFarTooLong, textTooLong } from './errors.ts'
import type { AnswerIds } from './scores.ts'
import { bareFrame, frameTokens, readTokenFrame, type TokenFrame, type Tokens } from './token-frame.ts'
import type { NativeTokenizer } from './tokenizer.ts'
import type { Row } from './waiting-rows.ts'

export interface TextRowsOptions {
  readonly tokenizer: NativeTokenizer
  readonly settings: TextModelSettings
  /** Of a row, special tokens included. */
  readonly limitTokens: number
  /** Whether the model is told which text of a pair each token belongs to. */
  readonly wantsTypeIds: boolean
}

/** Limits of one call of the tokenizer: other requests get their turn between calls, and memory stays small. */
const textsAtOnce = 32
const charactersAtOnce = 256 * 1024

/** No text has more. One that is longer is refused unread, since reading it takes memory without limit. */
const charactersPerTokenLimit = 100

/** Characters of a document that are read for each token that the model reads. The rest would be cut anyway. */
const charactersRead = 32

const bare = { addSpecialTokens: false }
const nothing: Tokens = { ids: [], typeIds: [] }

/** Asked between calls of the tokenizer. */
type IsWanted = () => boolean
const always: IsWanted = () => true

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

  /** Throws when the manifest names tokens that are not in the vocabulary. */
  static async open(options: TextRowsOptions): Promise<TextRows> {
    const { tokenizer, settings } = options
    const read = (isPair: boolean) => (settings.specialTokens ? readTokenFrame(tokenizer, isPair) : bareFrame)
    const single = await read(false)
    return new TextRows(options, withLast(single, tokenizer, settings.appendToken), await read(true))
  }

  /** A row of the vocabulary's last token: a graph that belongs to another tokenizer fails on it. */
  lastTokenRow(): Row {
    return this.#row([{ ids: [this.#options.tokenizer.getVocabSize(true) - 1], typeIds: [0] }])
  }

  /**
   * A row for each input. Throws ApiError 400 for the first that the model cannot read, and an error when the rows are no
   * longer wanted.
   */
  async embed({ inputs, inputType }: EmbedRequest, isWanted: IsWanted = always): Promise<Row[]> {
    const { settings, limitTokens } = this.#options
    const prefix = { query: settings.queryPrefix, document: settings.documentPrefix, none: '' }[inputType ?? 'none']
    for (const [index, input] of inputs.entries()) this.#requireReadable(input, `input[${index}]`)
    const { before, after, firstType } = this.#frame.single
    const toRow = (ids: readonly number[], frame: readonly [Tokens, Tokens], index: number) => {
      const [start, end] = frame
      const row = this.#row([start, { ids, typeIds: ids.map(() => firstType) }, end])
      if (row.ids.length === 0) throw noContent(`input[${index}]`)
      if (row.ids.length > limitTokens) throw textTooLong(`input[${index}]`, row.ids.length, limitTokens)
      return row
    }
    const rows: Row[] = []
    const texts: { readonly text: string; readonly index: number }[] = []
    for (const [index, input] of inputs.entries()) {
      if (typeof input === 'string') texts.push({ text: prefix + input, index })
      else rows[index] = toRow(input, [nothing, nothing], index)
    }
    await this.#tokenize(
      texts.map(({ text }) => text),
      isWanted,
      (ids, position) => {
        const index = texts[position]?.index ?? 0
        rows[index] = toRow(ids, [before, after], index)
      },
    )
    return rows
  }

  /** A row for each document. Documents are cut to fit; a query is not. Throws as `embed` does. */
  async rerank({ query, documents }: RerankRequest, isWanted: IsWanted = always): Promise<Row[]> {
    const { settings, limitTokens } = this.#options
    if (query.length > this.#limitCharacters) throw queryTooLong(limitTokens)
    const readable = documents.map((document) => document.slice(0, limitTokens * charactersRead).toWellFormed())
    const { pairTemplate } = settings
    const rows = await (pairTemplate === undefined
      ? this.#pairs(query, readable, isWanted)
      : this.#written(pairTemplate, query, readable, isWanted))
    const empty = rows.findIndex(({ ids }) => ids.length === 0)
    if (empty !== -1) throw noContent(`documents[${empty}]`)
    return rows
  }

  /** In the tokenizer's own form. */
  async #pairs(query: string, documents: readonly string[], isWanted: IsWanted): Promise<Row[]> {
    const { before, between, after, firstType, secondType } = this.#frame.pair
    const [first = []] = await this.#idsOf([query])
    const room = this.#options.limitTokens - frameTokens(this.#frame.pair) - first.length
    if (room < 1) throw queryTooLong(this.#options.limitTokens)
    const queryTokens = { ids: first, typeIds: first.map(() => firstType) }
    const rows: Row[] = []
    await this.#tokenize(documents, isWanted, (tokens) => {
      const ids = tokens.slice(0, room)
      rows.push(this.#row([before, queryTokens, between, { ids, typeIds: ids.map(() => secondType) }, after]))
    })
    return rows
  }

  /** In the words of a template. Only the document at the end of its body is cut. */
  async #written(
    { prefix, body, suffix }: PairTemplate,
    query: string,
    documents: readonly string[],
    isWanted: IsWanted,
  ): Promise<Row[]> {
    const [head = '', rest = ''] = splitAt(body, '{query}')
    const [middle = ''] = splitAt(rest, '{document}')
    const write = (document: string) => head + query + middle + document
    const [before = [], after = [], shortest = []] = await this.#idsOf([prefix, suffix, write('')])
    const room = this.#options.limitTokens - before.length - after.length
    if (shortest.length >= room) throw queryTooLong(this.#options.limitTokens)
    const rows: Row[] = []
    await this.#tokenize(documents.map(write), isWanted, (tokens) => {
      const parts = [before, tokens.slice(0, room), after]
      rows.push(this.#row(parts.map((ids) => ({ ids, typeIds: ids.map(() => 0) }))))
    })
    return rows
  }

  get #limitCharacters(): number {
    return this.#options.limitTokens * charactersPerTokenLimit
  }

  #requireReadable(input: string | readonly number[], param: string): void {
    const { tokenizer, limitTokens } = this.#options
    if (typeof input === 'string') {
      if (input.length > this.#limitCharacters) throw textFarTooLong(param, input.length, limitTokens)
      return
    }
    const vocabularySize = tokenizer.getVocabSize(true)
    const foreign = input.find((id) => id >= vocabularySize)
    if (foreign !== undefined) throw foreignTokens(param, foreign, vocabularySize)
  }

  /** Calls `take` with the ids of each text in order. When it throws, the rest is not read. */
  async #tokenize(
    texts: readonly string[],
    isWanted: IsWanted,
    take: (ids: readonly number[], index: number) => void,
  ): Promise<void> {
    let done = 0
    for (const chunk of chunksOf(texts)) {
      if (!isWanted()) throw new Error('nobody waits for these texts any more')
      for (const encoding of await this.#options.tokenizer.encodeBatch(chunk, bare)) {
        take(
          encoding.getIds().filter((id) => id !== this.#droppedId),
          done++,
        )
      }
    }
  }

  async #idsOf(texts: readonly string[]): Promise<(readonly number[])[]> {
    const all: (readonly number[])[] = []
    await this.#tokenize(texts, always, (ids) => all.push(ids))
    return all
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

/** The text before and after the first `mark`. */
function splitAt(text: string, mark: string): readonly string[] {
  const at = text.indexOf(mark)
  return [text.slice(0, at), text.slice(at + mark.length)]
}

function tokenId(tokenizer: NativeTokenizer, token: string): number {
  const id = tokenizer.tokenToId(token)
  if (id === null) throw new Error(`the tokenizer has no token "${token}", which the manifest names`)
  return id
}

/** The frame with a token at the end, unless it is there already. */
function withLast(frame: TokenFrame, tokenizer: NativeTokenizer, token: string | undefined): TokenFrame {
  if (token === undefined) return frame
  const id = tokenId(tokenizer, token)
  if (frame.after.ids.at(-1) === id) return frame
  return { ...frame, after: { ids: [...frame.after.ids, id], typeIds: [...frame.after.typeIds, frame.firstType] } }
}

/** Tokens of the answers of a reranker that is asked in words; undefined for others. */
export function answerIdsOf(tokenizer: NativeTokenizer, { answerTokens }: TextModelSettings): AnswerIds | undefined {
  if (answerTokens === undefined) return undefined
  return { yes: tokenId(tokenizer, answerTokens.yes), no: tokenId(tokenizer, answerTokens.no) }
}
