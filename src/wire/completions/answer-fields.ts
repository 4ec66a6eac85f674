/** Fields shared by stream chunks and whole answers. */
import type { ChatOutput } from '../../core/chat.ts'
import type { AnswerContext } from '../dialect.ts'
import type { CompletionCall } from './parse-request.ts'
import { TokenLists, type WireTokenLists } from './token-lists.ts'

/** Returns the fields common to every object of one answer. */
export function envelopeOf(model: string, { newId, created, fingerprint }: AnswerContext) {
  return { id: newId('cmpl-'), object: 'text_completion', created, model, system_fingerprint: fingerprint } as const
}

type ChoiceFinish = Extract<ChatOutput, { readonly type: 'choice-finish' }>

export function finishReasonOf({ reason }: ChoiceFinish): 'stop' | 'length' {
  return reason === 'length' ? 'length' : 'stop'
}

/** Returns the builders of each choice's log probabilities. Null means not requested. */
export function tokenListsOf({ request, promptLengths }: CompletionCall): readonly (TokenLists | null)[] {
  const { topLogprobs, choices } = request
  const each = choices / Math.max(1, promptLengths.length)
  return Array.from({ length: choices }, (_, choice) =>
    topLogprobs === undefined ? null : new TokenLists(topLogprobs, promptLengths[Math.floor(choice / each)] ?? 0),
  )
}

export interface WireChoice {
  readonly text: string
  readonly index: number
  readonly logprobs: WireTokenLists | null
  readonly finish_reason: 'stop' | 'length' | null
  readonly stop_reason?: string
  /** Written piece by piece: there may be a million. */
  readonly prompt_logprobs?: Iterator<unknown>
}
