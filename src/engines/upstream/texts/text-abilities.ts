import type { UpstreamFlavor } from '../../../core/upstream.ts'

/** Abilities of a flavor for text requests that not all flavors share. */
interface TextAbilities {
  /** True if a call takes as many texts as a request may have. Other flavors may have lower, unknown limits. */
  readonly takesAll: boolean
  /** True if it returns embeddings in base64 on request, which takes a fraction of the bytes. */
  readonly writesBase64: boolean
  /** True if it knows the field for the role of an embedded text. */
  readonly takesInputType: boolean
  /** Returns fields that make the server cut long texts. Undefined if it can only refuse them. */
  readonly cut: ((side: 'start' | 'end') => Readonly<Record<string, string | number>>) | undefined
  /** Fields that make the server cut long documents. */
  readonly cutDocuments: Readonly<Record<string, string | number | boolean>>
  /** Fields that make the server refuse long documents. */
  readonly refuseLongDocuments: Readonly<Record<string, string | number | boolean>>
  /** Field for the maximum of a document's tokens. Undefined if there is none. */
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

/** Field that stops SGLang from returning the documents. */
const withoutDocuments = { return_documents: false }

export const textAbilities: Readonly<Record<UpstreamFlavor, TextAbilities>> = {
  vllm: {
    ...plain,
    writesBase64: true,
    // -1 means the model's maximum. Without a side, the tokenizer's side applies.
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
