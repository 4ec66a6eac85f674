/**
 * The canonical chat request and its events. Dialects (`wire/`) translate into and out of these; engines know only
 * these.
 */
import type { Usage } from './usage.ts'

export interface ChatMessage {
  readonly role: 'system' | 'user' | 'assistant' | 'tool'
  readonly content: string
  readonly name?: string
  /** Thinking of an earlier assistant turn, echoed back by the client. */
  readonly reasoning?: string
}

/** Sampling settings. `undefined` means: the model's default from its manifest, else the engine's. */
export interface Sampling {
  /** 0..2; 0 is greedy. */
  readonly temperature?: number | undefined
  /** 0..1; 0 is greedy. */
  readonly topP?: number | undefined
  /** 0 = all of the vocabulary. */
  readonly topK?: number | undefined
  readonly minP?: number | undefined
  /** -2..2 */
  readonly presencePenalty?: number | undefined
  /** -2..2 */
  readonly frequencyPenalty?: number | undefined
  /** 0.01..100; 1 = off. */
  readonly repeatPenalty?: number | undefined
  /** Token id of the model's own vocabulary -> bias -100..100. */
  readonly logitBias?: readonly (readonly [token: number, bias: number])[] | undefined
  /** Unsigned 32 bit. Choice i of n uses seed + i. Absent: random. */
  readonly seed?: number | undefined
}

export interface ChatRequest {
  readonly messages: readonly ChatMessage[]
  readonly sampling: Sampling
  /** At most 4 non-empty strings; matched across token borders, never part of the output. */
  readonly stop: readonly string[]
  /** Limit on generated tokens per choice, reasoning included; clamped to what is left of the context. */
  readonly maxTokens?: number | undefined
  /** How many answers to generate from the one prompt, 1..8. */
  readonly choices: number
  /** Number of alternatives (0..20) to report per token; absent: no log probabilities at all. */
  readonly topLogprobs?: number | undefined
  /** Whether the model may think first; absent: the model's default. */
  readonly reasoning?: 'off' | 'on' | undefined
}

export interface TokenAlternative {
  /** Text of the token; U+FFFD where its bytes are not valid UTF-8 alone. */
  readonly token: string
  readonly bytes: readonly number[]
  readonly logprob: number
}

export interface TokenLogprob extends TokenAlternative {
  readonly alternatives: readonly TokenAlternative[]
}

export type FinishReason = 'stop' | 'length' | 'tool-calls'

/**
 * Order for each request: one `start`; then deltas of all choices interleaved, each choice ended by its
 * `choice-finish`; then one `finish`. A failure is thrown by the iterable instead of being an event.
 */
export type ChatEvent =
  | { readonly type: 'start'; readonly promptTokens: number; readonly cachedTokens: number }
  | {
      readonly type: 'reasoning-delta' | 'text-delta'
      readonly choice: number
      /** May be empty only when `logprobs` are present (text still held back). */
      readonly text: string
      readonly logprobs?: readonly TokenLogprob[]
    }
  | {
      readonly type: 'tool-call-start'
      readonly choice: number
      /** Position among the choice's calls, from 0. */
      readonly index: number
      readonly id: string
      readonly name: string
    }
  | {
      readonly type: 'tool-call-delta'
      readonly choice: number
      readonly index: number
      /** Next piece of the arguments' JSON text. */
      readonly argumentsText: string
    }
  | { readonly type: 'choice-finish'; readonly choice: number; readonly reason: FinishReason }
  | { readonly type: 'finish'; readonly usage: Usage }
