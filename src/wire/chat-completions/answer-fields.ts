/** What the chunks of a stream and whole completions share. */
import type { FinishReason } from '../../core/chat.ts'
import type { NewId } from '../../core/ids.ts'
import { unreachable } from '../../core/unreachable.ts'
import type { Usage } from '../../core/usage.ts'

/** What is the same in every object of one answer. */
export interface Envelope {
  /** `chatcmpl-…` */
  readonly id: string
  /** Unix time in seconds. */
  readonly created: number
  /** The model id as the client spelled it. */
  readonly model: string
  /** Changes when the same seed may give other text: a new version of the server. */
  readonly fingerprint: string
}

export interface AnswerOptions {
  readonly envelope: Envelope
  /** Number of choices asked for. */
  readonly choices: number
  /** Of a stream: a last chunk of token counts, and `usage: null` on the others. */
  readonly includeUsage: boolean
  readonly logprobs: boolean
  /** Names of the tools whose calls carry plain text. */
  readonly customTools: ReadonlySet<string>
  /** Thinking is not shown. */
  readonly hidesReasoning: boolean
  readonly newId: NewId
  readonly docsUrl: (code: string) => string
}

export type WireFinishReason = 'stop' | 'length' | 'tool_calls'

/** The contract's spelling of why a choice ended. */
export function toFinishReason(reason: FinishReason): WireFinishReason {
  switch (reason) {
    case 'stop':
    case 'length':
      return reason
    case 'tool-calls':
      return 'tool_calls'
    default:
      return unreachable(reason)
  }
}

export type WireUsage = ReturnType<typeof toUsage>

/** Token counts of all choices together; cached tokens are part of the prompt, reasoning part of the completion. */
export function toUsage(usage: Usage) {
  return {
    prompt_tokens: usage.promptTokens,
    completion_tokens: usage.completionTokens,
    total_tokens: usage.promptTokens + usage.completionTokens,
    prompt_tokens_details: { cached_tokens: usage.cachedTokens, audio_tokens: 0 },
    completion_tokens_details: {
      reasoning_tokens: usage.reasoningTokens,
      audio_tokens: 0,
      accepted_prediction_tokens: 0,
      rejected_prediction_tokens: 0,
    },
  }
}
