/** Settings of models that embed or score texts. All of them are data: no code knows a model by name. */

/**
 * Text with its expected vector. A load compares it with the model's own, to find out whether files and settings belong
 * together.
 */
interface GoldenVector {
  readonly text: string
  readonly inputType?: 'query' | 'document' | undefined
  /** Leading dimensions of the vector. */
  readonly values: readonly number[]
}

interface GoldenScore {
  readonly query: string
  readonly document: string
  readonly score: number
}

/** Text form of query and document for rerankers that take a prompt. Too long documents are cut. */
export interface PairTemplate {
  /** Token texts before the body, special tokens by name. */
  readonly prefix: string
  /** Body, which holds `{query}` and ends with `{document}`. */
  readonly body: string
  readonly suffix: string
}

export interface TextModelSettings {
  /** Output tensor to read. Absent means the first one of the graph. */
  readonly output?: string | undefined
  /** Pooling of the token vectors: their mean, the first one or the last one. `none` if the graph pools itself. */
  readonly pooling: 'mean' | 'cls' | 'last' | 'none'
  /** True to scale vectors to length 1. */
  readonly normalize: boolean
  /** Side at which shorter texts of a batch are padded. */
  readonly padding: 'left' | 'right'
  readonly padTokenId: number
  /** True to put the tokenizer's own special tokens around texts. */
  readonly specialTokens: boolean
  /** Token put after each text, if the tokenizer does not add it itself. */
  readonly appendToken?: string | undefined
  /** Token left out of texts. */
  readonly dropToken?: string | undefined
  /** Prefixes for texts of each type. */
  readonly queryPrefix: string
  readonly documentPrefix: string
  /** Absent uses the tokenizer's own form of a pair. */
  readonly pairTemplate?: PairTemplate | undefined
  /** Function applied to a reranker's raw score. */
  readonly activation: 'sigmoid' | 'none'
  /** Tokens whose relative probability as the next token is the score. Absent if the graph gives a score. */
  readonly answerTokens?: { readonly yes: string; readonly no: string } | undefined
  readonly goldenVectors: readonly GoldenVector[]
  readonly goldenScores: readonly GoldenScore[]
}
