/** Texts of requests as the rows that a model reads: prefixes, special tokens, limits. */
import type { EmbedRequest, RerankRequest } from '../../core/encode.ts'
import type { EncoderSettings, PairTemplate } from '../../core/encoder-settings.ts'
import { foreignTokens, noContent, queryTooLong, textFarTooLong, textTooLong } from './errors.ts'
import type { Row } from './row.ts'
import { bareFrame, frameTokens, readTokenFrame, type TokenFrame, type Tokens } from './token-frame.ts'
import type { NativeTokenizer } from './tokenizer-binding.ts'

export interface TextRowsOptions {
  readonly tokenizer: NativeTokenizer
  readonly settings: EncoderSettings
  /** Longest row that the model reads, special tokens included. */
  readonly mostTokens: number
  /** The model is told which tokens are of which text. */
  readonly wantsTypeIds: boolean
}

/** So many texts are tokenized at once: others get their turn between, and a thousand do not take their memory together. */
const textsAtOnce = 32

/** No text has so many characters a token. What has more is not read: that takes memory without end. */
const mostCharactersPerToken = 100

const bare = { addSpecialTokens: false }

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

  /** A row for each input. Throws ApiError 400 for what the model can not read. */
  async embed({ inputs, inputType }: EmbedRequest): Promise<Row[]> {
    const { settings, mostTokens } = this.#options
    const prefix = { query: settings.queryPrefix, document: settings.documentPrefix, none: '' }[inputType ?? 'none']
    for (const [index, input] of inputs.entries()) this.#requireReadable(input, `input[${index}]`)
    const texts = inputs.filter((input) => typeof input === 'string')
    const tokenized = (await this.#tokenize(texts.map((text) => prefix + text))).values()
    const { before, after, firstType } = this.#frame.single
    return inputs.map((input, index) => {
      const isText = typeof input === 'string'
      const ids = isText ? (tokenized.next().value ?? []) : input
      const own = { ids, typeIds: ids.map(() => firstType) }
      const row = this.#row(isText ? [before, own, after] : [own])
      if (row.ids.length === 0) throw noContent(`input[${index}]`)
      if (row.ids.length > mostTokens) throw textTooLong(`input[${index}]`, row.ids.length, mostTokens)
      return row
    })
  }

  /** A row for each document. Documents are cut where they do not fit; a query is not. Throws ApiError 400. */
  async rerank({ query, documents }: RerankRequest): Promise<Row[]> {
    const { settings, mostTokens } = this.#options
    if (query.length > this.#mostCharacters) throw queryTooLong(mostTokens)
    const readable = documents.map((document) => document.slice(0, this.#mostCharacters).toWellFormed())
    const template = settings.pairTemplate
    return template === undefined ? this.#pairs(query, readable) : this.#written(template, query, readable)
  }

  /** In the tokenizer's own form. */
  async #pairs(query: string, documents: readonly string[]): Promise<Row[]> {
    const { before, between, after, firstType, secondType } = this.#frame.pair
    const [first = []] = await this.#tokenize([query])
    const room = this.#options.mostTokens - frameTokens(this.#frame.pair) - first.length
    if (room < 1) throw queryTooLong(this.#options.mostTokens)
    const queryTokens = { ids: first, typeIds: first.map(() => firstType) }
    return (await this.#tokenize(documents)).map((tokens) => {
      const ids = tokens.slice(0, room)
      return this.#row([before, queryTokens, between, { ids, typeIds: ids.map(() => secondType) }, after])
    })
  }

  /** In the words of a template, whose end is never cut. */
  async #written({ prefix, body, suffix }: PairTemplate, query: string, documents: readonly string[]): Promise<Row[]> {
    const [head = '', rest = ''] = splitAt(body, '{query}')
    const [middle = '', tail = ''] = splitAt(rest, '{document}')
    const write = (document: string) => head + query + middle + document + tail
    const [before = [], after = [], shortest = []] = await this.#tokenize([prefix, suffix, write('')])
    const room = this.#options.mostTokens - before.length - after.length
    if (shortest.length >= room) throw queryTooLong(this.#options.mostTokens)
    return (await this.#tokenize(documents.map(write))).map((tokens) =>
      this.#row([before, tokens.slice(0, room), after].map((ids) => ({ ids, typeIds: ids.map(() => 0) }))),
    )
  }

  get #mostCharacters(): number {
    return this.#options.mostTokens * mostCharactersPerToken
  }

  #requireReadable(input: string | readonly number[], param: string): void {
    const { tokenizer, mostTokens } = this.#options
    if (typeof input === 'string') {
      if (input.length > this.#mostCharacters) throw textFarTooLong(param, input.length, mostTokens)
      return
    }
    const vocabularySize = tokenizer.getVocabSize(true)
    const foreign = input.find((id) => id >= vocabularySize)
    if (foreign !== undefined) throw foreignTokens(param, foreign, vocabularySize)
  }

  async #tokenize(texts: readonly string[]): Promise<number[][]> {
    const tokenized: number[][] = []
    for (let from = 0; from < texts.length; from += textsAtOnce) {
      const encodings = await this.#options.tokenizer.encodeBatch(texts.slice(from, from + textsAtOnce), bare)
      for (const encoding of encodings) tokenized.push(encoding.getIds().filter((id) => id !== this.#droppedId))
    }
    return tokenized
  }

  #row(parts: readonly Tokens[]): Row {
    return {
      ids: Int32Array.from(parts.flatMap(({ ids }) => ids)),
      typeIds: this.#options.wantsTypeIds ? Uint8Array.from(parts.flatMap(({ typeIds }) => typeIds)) : undefined,
    }
  }
}

/** What stands before and after the first `mark`. */
function splitAt(text: string, mark: string): readonly string[] {
  const at = text.indexOf(mark)
  return [text.slice(0, at), text.slice(at + mark.length)]
}

function tokenId(tokenizer: NativeTokenizer, token: string): number {
  const id = tokenizer.tokenToId(token)
  if (id === null) throw new Error(`the tokenizer has no token "${token}", which the manifest names`)
  return id
}

/** The frame with a token at the end, which may be there already. */
function withLast(frame: TokenFrame, tokenizer: NativeTokenizer, token: string | undefined): TokenFrame {
  if (token === undefined) return frame
  const id = tokenId(tokenizer, token)
  if (frame.after.ids.at(-1) === id) return frame
  return { ...frame, after: { ids: [...frame.after.ids, id], typeIds: [...frame.after.typeIds, frame.firstType] } }
}

/** Ids of the answers that a reranker which is asked in words can give. */
export function answerIdsOf(
  tokenizer: NativeTokenizer,
  { answerTokens }: EncoderSettings,
): { readonly yes: number; readonly no: number } | undefined {
  if (answerTokens === undefined) return undefined
  return { yes: tokenId(tokenizer, answerTokens.yes), no: tokenId(tokenizer, answerTokens.no) }
}
