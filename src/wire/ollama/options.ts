import { type Static, Type } from '@sinclair/typebox'
import type { ChatRequest } from '../../core/chat.ts'
import { ApiError } from '../../core/errors.ts'
import { parseSampling, samplingFields } from '../chat/parse-sampling.ts'
import { stopStrings } from '../chat/stop-strings.ts'
import { check, presentFields } from '../check.ts'

type OptionKind = 'integer' | 'float'

/** Options that change an answer. All others set how another server loads a model, and are ignored. */
const known: Readonly<Record<string, OptionKind>> = {
  num_predict: 'integer',
  temperature: 'float',
  top_k: 'integer',
  top_p: 'float',
  min_p: 'float',
  repeat_penalty: 'float',
  presence_penalty: 'float',
  frequency_penalty: 'float',
  seed: 'integer',
}

const SamplingOptions = Type.Object(samplingFields)

/** Reads `options`. Absent ones are left to the model. Throws ApiError 400. */
export function parseOptions(value: unknown): Pick<ChatRequest, 'sampling' | 'stop' | 'maxTokens'> {
  if (value === undefined || value === null) return { sampling: {}, stop: [] }
  const { stop, ...options } = presentFields(value, 'options')
  const { num_predict: limit, seed, ...numbers } = readNumbers(options)
  const fields = { ...numbers, ...(seed !== undefined && seed !== -1 && { seed }) }
  const sampling: Static<typeof SamplingOptions> = check(SamplingOptions, fields, 'options')
  return {
    sampling: parseSampling(sampling),
    stop: parseStop(stop),
    // 0 and negative values mean no limit but the model's end or its context.
    maxTokens: limit !== undefined && limit > 0 ? limit : undefined,
  }
}

function readNumbers(options: Readonly<Record<string, unknown>>): Record<string, number> {
  return Object.fromEntries(
    Object.entries(known).flatMap(([name, kind]) => {
      const given = options[name]
      if (given === undefined) return []
      if (typeof given !== 'number') throw wrongType(name, kind)
      return [[name, kind === 'integer' ? Math.trunc(given) : given] as const]
    }),
  )
}

function parseStop(stop: unknown): string[] {
  const texts = typeof stop === 'string' ? [stop] : (stop ?? [])
  if (!Array.isArray(texts)) throw wrongType('stop', 'array')
  if (!texts.every((text: unknown): text is string => typeof text === 'string')) throw wrongType('stop', 'array')
  return stopStrings(texts, 'options.stop')
}

function wrongType(name: string, kind: OptionKind | 'array'): ApiError {
  const words = kind === 'array' ? 'array of strings' : kind
  return new ApiError('invalid_request', `option "${name}" must be of type ${words}`, {
    code: 'invalid_value',
    param: `options.${name}`,
  })
}
