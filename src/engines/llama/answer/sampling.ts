/** Conversion of canonical sampling settings to the native sampler's. */
import type { ChatRequest } from '../../../core/chat.ts'
import type { NativeSamplerOptions } from '../native.ts'
import type { AnswerSetup } from '../prompt/prepare-prompt.ts'

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
    // A nucleus of nothing is the most likely token alone.
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
