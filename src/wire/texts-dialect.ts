/** Common part of embeddings and rerank: one result, then its answer. */
import type { EmbedRequest, RerankRequest, Scores, Vectors } from '../core/texts.ts'
import type { WorkEvent } from '../core/work.ts'
import type { AnswerCollector, AnswerContext, WorkCall, WorkDialect } from './dialect.ts'

export interface TextsCall extends WorkCall {
  /** Model id as the client spelled it: canonical id or alias. */
  readonly model: string
  readonly request: EmbedRequest | RerankRequest
}

/** Engine's result of a call. */
export interface ComputedTexts {
  readonly result: Vectors | Scores
  readonly promptTokens: number
}

type TextsEvent = WorkEvent<'embed' | 'rerank'>

export type TextsDialect<Call extends TextsCall> = WorkDialect<Call, TextsEvent>

/** Collects the result. `toAnswer` throws if its type does not match the request, which is a bug. */
export function textsCollector<Call extends TextsCall>(
  toAnswer: (call: Call, computed: ComputedTexts, context: AnswerContext) => Iterable<string>,
): (call: Call, context: AnswerContext) => AnswerCollector<TextsEvent> {
  return (call, context) => {
    let result: Vectors | Scores | undefined
    let promptTokens = 0
    return {
      push: (event) => {
        if (event.type === 'finish') promptTokens = event.usage.promptTokens
        else if (event.type !== 'start') result = event
      },
      end: () => {
        if (result === undefined) throw new Error('the engine ended without a result: this is a bug')
        return toAnswer(call, { result, promptTokens }, context)
      },
    }
  }
}
