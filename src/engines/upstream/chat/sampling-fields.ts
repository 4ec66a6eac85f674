/** How tokens are chosen, and when the answer ends. */
import { type ChatRequest, type RepetitionLimit, type Sampling, wantsThinking } from '../../../core/chat.ts'
import type { JsonObject, JsonValue } from '../../../core/json.ts'
import type { Abilities, Flavor } from '../flavors.ts'
import { mayCall } from './tool-fields.ts'

/** Settings that every server knows, by its common name. */
const commonNames = {
  temperature: 'temperature',
  topP: 'top_p',
  presencePenalty: 'presence_penalty',
  frequencyPenalty: 'frequency_penalty',
  logitBias: 'logit_bias',
  seed: 'seed',
} as const satisfies Partial<Record<keyof Sampling, string>>

type SamplingRow = Pick<Flavor, 'sampling' | 'allTopK' | 'mostRepeatPenalty'>

/** `choice`: of those to the same prompt. What the request leaves open is left to the server, as what it does not know. */
export function samplingFields({ sampling }: ChatRequest, choice: number, row: SamplingRow): JsonObject {
  const { temperature, topP, topK, repeatPenalty, logitBias, seed, ...others } = sampling
  // A nucleus of nothing is the most likely token alone; servers refuse it.
  const isGreedy = topP === 0
  const values: Readonly<Partial<Record<keyof Sampling, JsonValue | undefined>>> = {
    ...others,
    temperature: isGreedy ? 0 : temperature,
    topP: isGreedy ? undefined : topP,
    topK: topK === 0 ? row.allTopK : topK,
    repeatPenalty: repeatPenalty === undefined ? undefined : Math.min(repeatPenalty, row.mostRepeatPenalty),
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

/**
 * Most servers look for stop strings in all that is generated, also in thinking and calls, where they end nothing: there the
 * reader alone looks for them, and the request is cancelled when it finds one.
 */
export function stopFields(
  request: ChatRequest,
  { thinks }: Abilities,
  row: Pick<Flavor, 'stopsInTextOnly' | 'mostStops'>,
): JsonObject {
  const isTextOnly = !mayCall(request) && (!thinks || wantsThinking(request.reasoning) === false)
  if (request.stop.length === 0 || !(row.stopsInTextOnly || request.prompts !== undefined || isTextOnly)) return {}
  return { stop: request.stop.slice(0, row.mostStops) }
}

/** A limit that the server does not know is left out: the answer then ends at its limit of tokens. */
export function repetitionFields(
  limit: ChatRequest['repetitionLimit'],
  { repetition }: Pick<Flavor, 'repetition'>,
): JsonObject {
  if (limit === undefined || repetition === 'none') return {}
  if (typeof limit === 'object') return { repetition_detection: countedLimit(limit) }
  return repetition === 'all' ? { repetition_detection: limit === 'usual' } : {}
}

function countedLimit({ minPieceTokens, maxPieceTokens, minCount }: RepetitionLimit): JsonObject {
  return { min_pattern_size: minPieceTokens, max_pattern_size: maxPieceTokens, min_count: minCount }
}
