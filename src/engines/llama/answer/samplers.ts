/** Samplers of a request's answers. */
import type { ChatRequest } from '../../../core/chat.ts'
import { errorText } from '../../../core/error-text.ts'
import { ApiError } from '../../../core/errors.ts'
import type { LoadedModel } from '../load-model.ts'
import type { NativeSampler, NativeSamplerOptions } from '../native.ts'
import { anyText } from '../prompt/answer-grammar.ts'
import type { AnswerSetup } from '../prompt/prepare-prompt.ts'
import { type PromptLayout, tokensOf } from '../steps/prompt-layout.ts'

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
 * Makes a sampler. If a grammar cannot be compiled, the schema is at fault. A grammar that only waits for calls, or
 * whose schema is not strict, is then left out: calls are read nevertheless.
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

/** Defaults if neither the request nor the model's manifest sets a value: llama.cpp's own. */
const engineDefaults = { temperature: 0.8, topP: 0.95, topK: 40, minP: 0.05 }

/** Bias of a token that cannot be chosen. */
const banned = -100

/**
 * Returns the options of choice number `choice`. Its seed is the request's, or else the random one, plus the choice,
 * modulo 2^32. So n answers differ, and each can be reproduced alone.
 */
export function samplerOptions(
  request: ChatRequest,
  { format, grammar, grammarPrefix, thinking, bannedTokens }: AnswerSetup,
  { choice, randomSeed }: { readonly choice: number; readonly randomSeed: number },
): NativeSamplerOptions {
  const { sampling } = request
  const topP = sampling.topP ?? engineDefaults.topP
  const temperature = sampling.temperature ?? engineDefaults.temperature
  return {
    seed: ((sampling.seed ?? randomSeed) + choice) >>> 0,
    // A nucleus of probability 0 is the most likely token alone.
    temperature: topP === 0 ? 0 : temperature,
    topP,
    topK: sampling.topK ?? engineDefaults.topK,
    minP: sampling.minP ?? engineDefaults.minP,
    presencePenalty: sampling.presencePenalty ?? 0,
    frequencyPenalty: sampling.frequencyPenalty ?? 0,
    repeatPenalty: sampling.repeatPenalty ?? 1,
    logitBias: [...(sampling.logitBias ?? []).flat(), ...bannedTokens.flatMap((token) => [token, banned])],
    // The request's own stop strings apply only to the visible text, which the sampler does not know.
    stops: format.additionalStops,
    topLogprobs: request.topLogprobs ?? -1,
    preservedTokens: format.preservedTokens,
    grammar: grammar.text,
    grammarLazy: grammar.isLazy,
    grammarTriggers: grammar.triggers,
    grammarPrefix,
    generationPrompt: format.generationPrompt,
    thinkingStartTag: format.thinkingStartTag,
    thinkingEndTags: format.thinkingEndTags,
    thinkingBudgetTokens: thinking.budgetTokens,
  }
}
