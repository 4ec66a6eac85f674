/** Work with a model's tokenizer and chat template. Nothing is computed by the model. */
import type { ChatRequest } from './chat.ts'

/** Text to cut into tokens. */
export interface TextToTokens {
  readonly task: 'text'
  readonly text: string
  /** True to begin as the model's own texts do. */
  readonly addsStart: boolean
  /** True to read the text of a control token as that token. */
  readonly parsesSpecial: boolean
  readonly hasPieces: boolean
}

/** Conversation whose prompt is wanted: its tokens, or for `template` its text. */
export interface ChatToTokens extends ChatRequest {
  readonly task: 'chat' | 'template'
  /** True to end the prompt with the last message, without the beginning of an answer. */
  readonly isClosed: boolean
  readonly hasPieces: boolean
}

/** Tokens whose text is wanted, control tokens included. */
interface TokensToText {
  readonly task: 'tokens'
  readonly tokens: readonly number[]
}

export type TokensRequest = TextToTokens | ChatToTokens | TokensToText | { readonly task: 'info' }

/** Part of the list of tokens, in order. There is at least one, which may be empty. */
export interface TokenList {
  readonly type: 'tokens'
  readonly tokens: Int32Array
  /** Bytes of all these tokens, and where each ends in them. Absent unless requested. */
  readonly pieces?: { readonly bytes: Uint8Array; readonly ends: Int32Array }
  /** Most tokens of a prompt and its answer. */
  readonly contextTokens: number
}

/** Facts of a tokenizer. Absent ones do not exist, or are unknown. */
export interface TokenizerFacts {
  readonly type: 'tokenizer'
  readonly startToken?: string | undefined
  readonly endToken?: string | undefined
  readonly padToken?: string | undefined
  readonly chatTemplate?: string | undefined
  readonly contextTokens: number
}

/** `prompt-text`: part of a text, in order. */
export type TokensOutput = TokenList | TokenizerFacts | { readonly type: 'prompt-text'; readonly text: string }

/** Most tokens of one `TokenList`, so that none takes long to pass on. */
export const listedTokens = 16_384
