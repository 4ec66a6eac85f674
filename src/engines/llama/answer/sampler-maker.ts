/** Samplers of a request's answers. */
import type { ChatRequest } from '../../../core/chat.ts'
import { errorText } from '../../../core/error-text.ts'
import { ApiError } from '../../../core/errors.ts'
import type { LoadedModel } from '../load-model.ts'
import type { NativeSampler, NativeSamplerOptions } from '../native.ts'
import { anyText } from '../prompt/answer-grammar.ts'
import type { AnswerSetup } from '../prompt/prepare-prompt.ts'
import { type PromptLayout, tokensOf } from '../steps/prompt-layout.ts'
import { samplerOptions } from './sampling.ts'

interface SamplerSetup {
  readonly loaded: Pick<LoadedModel, 'addon' | 'model'>
  readonly request: ChatRequest
  readonly setup: AnswerSetup
  readonly prompt: PromptLayout
  /** Number among the answers to the same prompt. */
  readonly choice: number
  readonly randomSeed: number
}

/**
 * Returns a function that makes the sampler. With `isFirst` it is made at once, which tests whether the common grammar
 * can be compiled. Throws ApiError `invalid_schema` if not.
 */
export function samplerMaker(
  { loaded, request, setup, prompt, choice, randomSeed }: SamplerSetup,
  isFirst: boolean,
): () => NativeSampler {
  const make = () => {
    const isRequired = request.answerSchemaOrigin?.isStrict !== false || setup.grammarPrefix !== ''
    const toOptions = (setup: AnswerSetup) => samplerOptions(request, setup, { choice, randomSeed })
    const sampler = newSampler(loaded, { setup, isRequired }, toOptions)
    if (request.sampling.repeatPenalty !== undefined) sampler.acceptPrompt(tokensOf(prompt))
    return sampler
  }
  if (!isFirst) return make
  const first = make()
  return () => first
}

/**
 * Makes a sampler. If a grammar cannot be compiled, the schema is at fault. One that only waits for calls, or whose
 * schema is not strict, is left out: calls are read nevertheless.
 */
function newSampler(
  { addon, model }: Pick<LoadedModel, 'addon' | 'model'>,
  { setup: prepared, isRequired }: { readonly setup: AnswerSetup; readonly isRequired: boolean },
  toOptions: (setup: AnswerSetup) => NativeSamplerOptions,
): NativeSampler {
  try {
    return new addon.Sampler(model, toOptions(prepared))
  } catch (error) {
    if (prepared.grammar.isLazy || !isRequired)
      return new addon.Sampler(model, toOptions({ ...prepared, grammar: anyText }))
    const words = errorText(error)
    const begun =
      prepared.grammarPrefix === '' ? '' : ' The last message begins the answer: it has to fit the schema too.'
    throw new ApiError('invalid_request', `This schema cannot be enforced: ${words}.${begun}`, {
      code: 'invalid_schema',
      cause: error,
    })
  }
}
