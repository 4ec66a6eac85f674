/** Requests about a model's tokenizer and chat template, by flavor. */
import type { JsonObject } from '../../../core/json.ts'
import type { TextToTokens } from '../../../core/tokens.ts'
import type { UpstreamFlavor } from '../../../core/upstream.ts'
import type { ServerCall, ServerPath } from '../server-path.ts'

/** Calls of one flavor. The server cannot do what is undefined. */
export interface TokenCalls {
  /** Lists the tokens of a text. */
  readonly cut?: (text: TextToTokens, model: string) => ServerCall
  /** Lists the tokens of a conversation. `prompt`: the fields that determine its prompt. Undefined renders, then cuts. */
  readonly cutChat?: (prompt: JsonObject, hasPieces: boolean) => ServerCall
  /** Returns the prompt of a conversation as a text. Undefined cuts the conversation, then joins its tokens. */
  readonly render?: (prompt: JsonObject) => ServerCall
  /** Returns the text of tokens, control tokens included. */
  readonly join?: (tokens: readonly number[], model: string) => ServerCall
  /** Returns the path of the tokenizer's facts, for GET. */
  readonly facts?: (model: string) => ServerPath
  /** True if lists of tokens can have their pieces. */
  readonly listsPieces: boolean
  /** True if the text of a control token can be cut as any other text. */
  readonly cutsControlText: boolean
}

const none: TokenCalls = { listsPieces: false, cutsControlText: false }

const llamaText = ({ text, addsStart, parsesSpecial, hasPieces }: TextToTokens): JsonObject => ({
  content: text,
  add_special: addsStart,
  parse_special: parsesSpecial,
  with_pieces: hasPieces,
})

export const tokenCalls: Readonly<Record<UpstreamFlavor, TokenCalls>> = {
  vllm: {
    ...none,
    cut: ({ text, addsStart, hasPieces }, model) =>
      atRoot('/tokenize', { model, prompt: text, add_special_tokens: addsStart, return_token_strs: hasPieces }),
    cutChat: (prompt, hasPieces) => atRoot('/tokenize', { ...prompt, return_token_strs: hasPieces }),
    join: (tokens, model) => atRoot('/detokenize', { model, tokens }),
    // Served only if vLLM was started with --enable-tokenizer-info-endpoint.
    facts: () => ({ path: '/tokenizer_info', isAtRoot: true }),
    listsPieces: true,
  },
  sglang: {
    ...none,
    cut: ({ text, addsStart }, model) => below('/tokenize', { model, prompt: text, add_special_tokens: addsStart }),
    cutChat: (prompt) => below('/tokenize', prompt),
    join: (tokens, model) => below('/detokenize', { model, tokens, skip_special_tokens: false }),
  },
  trtllm: none,
  llamacpp: {
    cut: (text) => atRoot('/tokenize', llamaText(text)),
    render: (prompt) => atRoot('/apply-template', prompt),
    join: (tokens) => atRoot('/detokenize', { tokens }),
    facts: () => ({ path: '/props', isAtRoot: true }),
    listsPieces: true,
    cutsControlText: true,
  },
  openai: none,
  inferd: {
    cut: (text, model) => below('/tokenize', { model, ...llamaText(text) }),
    cutChat: (prompt, hasPieces) => below('/tokenize', { ...prompt, return_token_strs: hasPieces }),
    render: (prompt) => below('/apply-template', prompt),
    join: (tokens, model) => below('/detokenize', { model, tokens }),
    facts: (model) => ({ path: `/tokenizer_info?${new URLSearchParams({ model })}` }),
    listsPieces: true,
    cutsControlText: true,
  },
}

function atRoot(path: string, body: JsonObject): ServerCall {
  return { path, isAtRoot: true, body }
}

function below(path: string, body: JsonObject): ServerCall {
  return { path, body }
}
