/** Sampling settings, and limits of the answer. */
import type { ChatRequest, RepetitionLimit, Sampling } from '../../../../core/chat.ts'
import type { JsonObject, JsonValue } from '../../../../core/json.ts'
import type { ChatForm } from '../chat-form.ts'

/** Settings that every server knows, by the common name. */
const commonNames = {
  temperature: 'temperature',
  topP: 'top_p',
  presencePenalty: 'presence_penalty',
  frequencyPenalty: 'frequency_penalty',
  logitBias: 'logit_bias',
  seed: 'seed',
} as const satisfies Partial<Record<keyof Sampling, string>>

type SamplingRow = Pick<ChatForm, 'sampling' | 'allTopK' | 'repeatPenaltyLimit'>

/**
 * Returns the fields. `choice`: index among the choices of the same prompt. Unset and unsupported settings are left to
 * the server.
 */
export function samplingFields({ sampling }: ChatRequest, choice: number, row: SamplingRow): JsonObject {
  const { temperature, topP, topK, repeatPenalty, logitBias, seed, ...others } = sampling
  // `top_p` 0 keeps only the most likely token, but servers refuse it.
  const isGreedy = topP === 0
  const values: Readonly<Partial<Record<keyof Sampling, JsonValue | undefined>>> = {
    ...others,
    temperature: isGreedy ? 0 : temperature,
    topP: isGreedy ? undefined : topP,
    topK: topK === 0 ? row.allTopK : topK,
    repeatPenalty: repeatPenalty === undefined ? undefined : Math.min(repeatPenalty, row.repeatPenaltyLimit),
    logitBias: logitBias && Object.fromEntries(logitBias),
    seed: seed === undefined ? undefined : (seed + choice) >>> 0,
  }
  const fields: Record<string, JsonValue> = {}
  for (const [setting, name] of Object.entries({ ...commonNames, ...row.sampling })) {
    const value = values[setting as keyof Sampling]
    if (value !== undefined) fields[name] = value
  }
  return fields
}

/** Returns the stop strings to send. The reader looks for all of them anyway, except behind an echo of token ids. */
export function stopFields(
  { stop, prompts, echoesPrompt }: ChatRequest,
  { stopsLimit }: Pick<ChatForm, 'stopsLimit'>,
): JsonObject {
  const isEchoed = echoesPrompt === true && prompts?.some(({ kind }) => kind === 'tokens') === true
  const sent = isEchoed ? stop : stop.slice(0, stopsLimit)
  return sent.length === 0 ? {} : { stop: sent }
}

/** Returns the limit of repetition. An unsupported one is omitted, so the answer ends only at its token limit. */
export function repetitionFields(
  limit: ChatRequest['repetitionLimit'],
  { repetition }: Pick<ChatForm, 'repetition'>,
): JsonObject {
  if (limit === undefined || repetition === 'none') return {}
  if (typeof limit === 'object') return { repetition_detection: countedLimit(limit) }
  return repetition === 'all' ? { repetition_detection: limit === 'usual' } : {}
}

function countedLimit({ minPieceTokens, maxPieceTokens, minCount }: RepetitionLimit): JsonObject {
  return { min_pattern_size: minPieceTokens, max_pattern_size: maxPieceTokens, min_count: minCount }
}
