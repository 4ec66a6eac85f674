import { Type } from '@sinclair/typebox'
import { parseSampling, samplingFields } from '../chat/parse-sampling.ts'
import { stopField, stopStrings } from '../chat/stop-strings.ts'
import { limitOf, tokenLimit } from '../chat/token-limit.ts'
import type { ChatCompletionCall } from '../chat-completions/parse-request.ts'
import { check, modelField, optionalFlag, optionalText, presentFields } from '../check.ts'
import { parsePrompts } from '../completions/parse-prompt.ts'
import { rawRequest } from '../completions/parse-request.ts'

const { temperature, top_p, seed } = samplingFields

export const FimBody = Type.Object({
  ...modelField,
  prompt: Type.String({ description: 'the text before the gap', examples: ['def add(a, b):'] }),
  suffix: optionalText,
  max_tokens: Type.Optional(tokenLimit),
  temperature,
  top_p,
  random_seed: seed,
  stop: stopField,
  stream: optionalFlag,
})

/** Translates a whole body. Throws ApiError 400 whose `param` is the dotted path of the wrong field. */
export function parseFim(body: unknown): ChatCompletionCall {
  const fim = check(FimBody, presentFields(body))
  const { random_seed: seed, suffix = '' } = fim
  return {
    model: fim.model,
    stream: fim.stream ?? false,
    includeUsage: true,
    customTools: new Set(),
    hidesReasoning: false,
    hasReasoningDetails: false,
    hasFunctions: false,
    request: {
      ...rawRequest(parsePrompts(fim.prompt, suffix)),
      sampling: parseSampling({ ...fim, ...(seed !== undefined && { seed }) }),
      stop: stopStrings(fim.stop),
      maxTokens: limitOf(fim.max_tokens),
      choices: 1,
    },
  }
}
