/** Fields shared by stream chunks and whole completions. */
import type { FinishReason } from '../../core/chat.ts'
import type { FinishEvent } from '../../core/usage.ts'
import type { AnswerContext } from '../dialect.ts'
import type { ChatCompletionCall } from './parse-request.ts'

/** Returns the fields common to every object of one answer. */
export function envelopeOf<ObjectName extends string>(
  object: ObjectName,
  model: string,
  { newId, created, fingerprint }: AnswerContext,
) {
  return { id: newId('chatcmpl-'), object, created, model, system_fingerprint: fingerprint }
}

/** Wire names of finish reasons. */
export const finishReasons = {
  stop: 'stop',
  length: 'length',
  'tool-calls': 'tool_calls',
} as const satisfies Record<FinishReason, string>

export type WireFinishReason = (typeof finishReasons)[FinishReason] | 'function_call'

export function toFinishReason(reason: FinishReason, { hasFunctions }: ChatCompletionCall): WireFinishReason {
  return reason === 'tool-calls' && hasFunctions ? 'function_call' : finishReasons[reason]
}

/** Returns vLLM's field for the stop string that ended a choice, or nothing. Another inferd in front reads it. */
export function toStopReason(stopString: string | undefined): { readonly stop_reason?: string } {
  return stopString === undefined ? {} : { stop_reason: stopString }
}

/** Reasoning, whole or a piece, in a message or delta. */
export interface ReasoningFields {
  readonly reasoning_content: string
  readonly reasoning?: string
  readonly reasoning_details?: readonly object[]
}

/** Returns the fields of reasoning. `isRepeated` adds OpenRouter's fields. */
export function toReasoningFields(text: string, isRepeated: boolean): ReasoningFields {
  if (!isRepeated) return { reasoning_content: text }
  const detail = { type: 'reasoning.text', text, signature: null, id: null, format: 'unknown', index: 0 } as const
  return { reasoning_content: text, reasoning: text, reasoning_details: [detail] }
}

/**
 * Returns token counts of all choices together. Cached, picture and audio tokens are part of the prompt, reasoning of the
 * completion.
 */
export function toUsage({ usage, imageTokens, audioTokens }: FinishEvent) {
  return {
    prompt_tokens: usage.promptTokens,
    completion_tokens: usage.completionTokens,
    total_tokens: usage.promptTokens + usage.completionTokens,
    prompt_tokens_details: {
      cached_tokens: usage.cachedTokens,
      audio_tokens: audioTokens ?? 0,
      ...(imageTokens === undefined ? {} : { image_tokens: imageTokens }),
    },
    completion_tokens_details: {
      reasoning_tokens: usage.reasoningTokens,
      audio_tokens: 0,
      accepted_prediction_tokens: 0,
      rejected_prediction_tokens: 0,
    },
  }
}
