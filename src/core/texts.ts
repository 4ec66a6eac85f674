/** Work on texts: to vectors, or documents to scores. */

/** Role of an embedded text. Models with instructions put them in front of it. */
export type InputType = 'query' | 'document'

/** Counts of texts in a request: the default limit, and the largest that an operator may set. */
export const requestTexts = {
  embeddingInputs: { usual: 1_024, most: 16_384 },
  rerankDocuments: { usual: 1_000, most: 16_384 },
} as const

/** Largest count of each kind of texts in a request. */
export type TextLimits = Readonly<Record<keyof typeof requestTexts, number>>

export interface EmbedRequest {
  /** Texts, or token ids of the model's own vocabulary, which are used unchanged. At least one. */
  readonly inputs: readonly (string | readonly number[])[]
  /** Absent embeds the texts without instruction. */
  readonly inputType?: InputType | undefined
  /** Leading dimensions to keep. Absent keeps all. */
  readonly dimensions?: number | undefined
  /** Side at which texts that are too long lose tokens. Absent refuses them. */
  readonly truncate?: 'start' | 'end' | undefined
  /** `inputs` as `engines/protocol/packed-request.ts` packs them. */
  readonly packed?: Uint8Array | undefined
}

export interface RerankRequest {
  readonly query: string
  /** At least one document. */
  readonly documents: readonly string[]
  /** Most tokens read of a document. Absent means the model's maximum. The rest is cut. */
  readonly documentTokens?: number | undefined
  /** True to refuse documents that are too long. Absent cuts them at the end. */
  readonly refuseLong?: boolean | undefined
  /** `query` and `documents` as `engines/protocol/packed-request.ts` packs them. */
  readonly packed?: Uint8Array | undefined
}

/** Vectors of length 1 in the order of the inputs: `dimensions` numbers each. */
export interface Vectors {
  readonly type: 'vectors'
  readonly dimensions: number
  readonly values: Float32Array
}

/** One score per document, in order; larger is more relevant. */
export interface Scores {
  readonly type: 'scores'
  readonly values: Float32Array
}
