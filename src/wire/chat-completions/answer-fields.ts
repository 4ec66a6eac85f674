/** What the chunks of a stream and whole completions share. */
import type { FinishReason } from '../../core/chat.ts'
import type { FinishEvent } from '../../core/usage.ts'
import type { AnswerContext } from '../dialect.ts'
import type { ChatCompletionCall } from './parse-request.ts'

/** What is the same in every object of one answer. */
export function envelopeOf<ObjectName extends string>(
  object: ObjectName,
  model: string,
  { newId, created, fingerprint }: AnswerContext,
) {
  return { id: newId('chatcmpl-'), object, created, model, system_fingerprint: fingerprint }
}

/** The contract's spelling of why a choice ended. */
export const finishReasons = {
  stop: 'stop',
  length: 'length',
  'tool-calls': 'tool_calls',
} as const satisfies Record<FinishReason, string>

export type WireFinishReason = (typeof finishReasons)[FinishReason] | 'function_call'

export function toFinishReason(reason: FinishReason, { hasFunctions }: ChatCompletionCall): WireFinishReason {
  return reason === 'tool-calls' && hasFunctions ? 'function_call' : finishReasons[reason]
}

/** The stop string that ended a choice, as vLLM names it: nothing where none did. Another inferd in front reads it. */
export function toStopReason(stopString: string | undefined): { readonly stop_reason?: string } {
  return stopString === undefined ? {} : { stop_reason: stopString }
}

/** Thinking, or a piece of it, in a message or delta. */
export interface ReasoningFields {
  readonly reasoning_content: string
  readonly reasoning?: string
  readonly reasoning_details?: readonly object[]
}

/** `isRepeated`: in OpenRouter's fields too. */
export function toReasoningFields(text: string, isRepeated: boolean): ReasoningFields {
  if (!isRepeated) return { reasoning_content: text }
  const detail = { type: 'reasoning.text', text, signature: null, id: null, format: 'unknown', index: 0 } as const
  return { reasoning_content: text, reasoning: text, reasoning_details: [detail] }
}

/** Token counts of all choices together; those cached and those of pictures are part of the prompt, reasoning part of the completion. */
export function toUsage({ usage, imageTokens }: FinishEvent) {
  return {
    prompt_tokens: usage.promptTokens,
    completion_tokens: usage.completionTokens,
    total_tokens: usage.promptTokens + usage.completionTokens,
    prompt_tokens_details: {
      cached_tokens: usage.cachedTokens,
      audio_tokens: 0,
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
