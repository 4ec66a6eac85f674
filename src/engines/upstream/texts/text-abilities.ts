import type { UpstreamFlavor } from '../../../core/upstream.ts'

/** What a kind of server knows of requests about texts, beside what all of them know. */
export interface TextAbilities {
  /** A call takes as many texts as a request may have. Others may have lower limits, which nothing tells. */
  readonly takesAll: boolean
  /** Embeddings come in base64 where that is asked for: a fraction of the bytes to parse. */
  readonly writesBase64: boolean
  /** The field that says what a text is embedded as. */
  readonly takesInputType: boolean
  /** Fields that have texts cut which are too long; undefined: such texts are refused there. */
  readonly cut: ((side: 'start' | 'end') => Readonly<Record<string, string | number>>) | undefined
  /** Fields that have documents cut which are too long. */
  readonly cutDocuments: Readonly<Record<string, string | number | boolean>>
  /** Fields that have them refused. */
  readonly refuseLongDocuments: Readonly<Record<string, string | number | boolean>>
  /** The field with the maximum of a document's tokens; undefined: there is none. */
  readonly documentTokens: string | undefined
}

const plain: TextAbilities = {
  takesAll: false,
  writesBase64: false,
  takesInputType: false,
  cut: undefined,
  cutDocuments: {},
  refuseLongDocuments: {},
  documentTokens: undefined,
}

/** SGLang sends documents back where nothing is said. */
const withoutDocuments = { return_documents: false }

export const textAbilities: Readonly<Record<UpstreamFlavor, TextAbilities>> = {
  vllm: {
    ...plain,
    writesBase64: true,
    // -1: the maximum of the model. Without the side it is its tokenizer's.
    cut: (side) => ({ truncate_prompt_tokens: -1, truncation_side: side === 'start' ? 'left' : 'right' }),
    cutDocuments: { truncate_prompt_tokens: -1 },
    documentTokens: 'max_tokens_per_doc',
  },
  sglang: { ...plain, cutDocuments: withoutDocuments, refuseLongDocuments: withoutDocuments },
  trtllm: plain,
  llamacpp: { ...plain, writesBase64: true },
  openai: { ...plain, writesBase64: true },
  inferd: {
    takesAll: true,
    writesBase64: true,
    takesInputType: true,
    cut: (side) => ({ truncate: side === 'start' ? 'START' : 'END' }),
    cutDocuments: {},
    refuseLongDocuments: { truncation: false },
    documentTokens: 'max_tokens_per_doc',
  },
}
