import type { ChatRequest } from '../core/chat.ts'
import type { ModelAlias, ModelManifest } from '../core/model.ts'

/** Returns the request with unset fields taken from the alias it named, then from the model's manifest. */
export function withDefaults(
  request: ChatRequest,
  manifest: Pick<ModelManifest, 'defaults'>,
  alias: ModelAlias | undefined,
): ChatRequest {
  const { sampling, reasoning } = request
  const { defaults } = manifest
  const isUnguarded = request.repetitionLimit === undefined && defaults.repetitionDetection === false
  return {
    ...request,
    sampling: {
      ...sampling,
      temperature: sampling.temperature ?? defaults.temperature,
      topP: sampling.topP ?? defaults.topP,
      topK: sampling.topK ?? defaults.topK,
      minP: sampling.minP ?? defaults.minP,
    },
    reasoning: {
      ...request.reasoning,
      mode: reasoning.mode ?? alias?.reasoning ?? reasoning.templateMode ?? defaults.reasoning,
    },
    maxTokens: request.maxTokens ?? limitOf(defaults.maxTokens, reasoning.budgetTokens),
    ...(isUnguarded && { repetitionLimit: 'none' }),
  }
}

/** Returns the token limit plus the budget of thinking, which could otherwise leave nothing for the answer. */
function limitOf(maxTokens: number | undefined, budgetTokens = 0): number | undefined {
  return maxTokens === undefined ? undefined : maxTokens + budgetTokens
}
