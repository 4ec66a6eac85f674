/** What differs between models that embed or score texts. All of it is data: no code knows a model by name. */

/** A text and what the model makes of it, to find out at load whether files and settings belong together. */
interface GoldenVector {
  readonly text: string
  readonly inputType?: 'query' | 'document' | undefined
  /** The vector's leading dimensions. */
  readonly values: readonly number[]
}

interface GoldenScore {
  readonly query: string
  readonly document: string
  readonly score: number
}

/** How query and document become one text, for rerankers that are asked in words. Token limits cut the document. */
export interface PairTemplate {
  /** Token texts before the body, special tokens by name. */
  readonly prefix: string
  /** Holds `{query}` and ends with `{document}`, which is what is cut where the whole is too long. */
  readonly body: string
  readonly suffix: string
}

export interface TextModelSettings {
  /** Tensor that is read; absent: the first one of the graph. */
  readonly output?: string | undefined
  /**
   * How the vectors of a text's tokens become one: their mean, the first one's or the last one's; `none` where the graph
   * does so itself.
   */
  readonly pooling: 'mean' | 'cls' | 'last' | 'none'
  /** Vectors are scaled to length 1. */
  readonly normalize: boolean
  /** Where shorter texts of a batch are filled up. */
  readonly padding: 'left' | 'right'
  readonly padTokenId: number
  /** The tokenizer's own special tokens are put around texts. */
  readonly specialTokens: boolean
  /** Put after each text, where the tokenizer does not do so itself. */
  readonly appendToken?: string | undefined
  /** Left out of texts. */
  readonly dropToken?: string | undefined
  /** Put before texts of each kind. */
  readonly queryPrefix: string
  readonly documentPrefix: string
  /** Absent: the tokenizer's own form of a pair. */
  readonly pairTemplate?: PairTemplate | undefined
  /** Of a reranker's raw score. */
  readonly activation: 'sigmoid' | 'none'
  /** The score is the probability of the first against the second as the next token; absent: the graph gives a score. */
  readonly answerTokens?: { readonly yes: string; readonly no: string } | undefined
  readonly goldenVectors: readonly GoldenVector[]
  readonly goldenScores: readonly GoldenScore[]
}
