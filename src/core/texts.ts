/** Texts that become vectors and documents that become scores. */

/** What a text is embedded as; models with instructions put them in front of it. */
export type InputType = 'query' | 'document'

/** Counts of texts in a request: the usual limit, and the largest that an operator may set. */
export const requestTexts = {
  embeddingInputs: { usual: 1_024, most: 16_384 },
  rerankDocuments: { usual: 1_000, most: 16_384 },
} as const

/** Largest count of each kind of texts in a request. */
export type TextLimits = Readonly<Record<keyof typeof requestTexts, number>>

export interface EmbedRequest {
  /** Texts, or token ids of the model's own vocabulary, which are taken as they are. At least one. */
  readonly inputs: readonly (string | readonly number[])[]
  /** Absent: the texts are taken as they are. */
  readonly inputType?: InputType | undefined
  /** Leading dimensions to keep; absent: all. */
  readonly dimensions?: number | undefined
  /** Where texts that the model cannot read whole lose tokens. Absent: they are refused. */
  readonly truncate?: 'start' | 'end' | undefined
  /** `inputs` as `engines/packed-request.ts` packs them. */
  readonly packed?: Uint8Array | undefined
}

export interface RerankRequest {
  readonly query: string
  /** At least one. */
  readonly documents: readonly string[]
  /** Tokens of a document that are read at most; absent: as many as the model can. The rest is cut. */
  readonly documentTokens?: number | undefined
  /** Documents that the model cannot read whole are refused. Absent: they are cut at the end. */
  readonly refuseLong?: boolean | undefined
  /** `query` and `documents` as `engines/packed-request.ts` packs them. */
  readonly packed?: Uint8Array | undefined
}

/** Vectors of length 1, one after the other in the order of the inputs: `dimensions` numbers each. */
export interface Vectors {
  readonly type: 'vectors'
  readonly dimensions: number
  readonly values: Float32Array
}

/** One score a document, in the order of the documents; larger is more relevant. */
export interface Scores {
  readonly type: 'scores'
  readonly values: Float32Array
}
