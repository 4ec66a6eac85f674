import { type Static, Type } from '@sinclair/typebox'
import type { Sampling } from '../../core/chat.ts'
import { invalidValue, optionalInteger, presentFields } from '../check.ts'

/** Fields of the body that steer sampling; several have two spellings in the wild. */
export const samplingFields = {
  temperature: number(0, 2),
  top_p: number(0, 1),
  top_k: optionalInteger(-1, 1_000_000),
  min_p: number(0, 1),
  presence_penalty: number(-2, 2),
  frequency_penalty: number(-2, 2),
  repeat_penalty: number(0.01, 100),
  repetition_penalty: number(0.01, 100),
  logit_bias: Type.Optional(Type.Object({}, { description: 'an object of token ids and numbers from -100 to 100' })),
  seed: Type.Optional(Type.Integer({ description: 'an integer' })),
}

const SamplingBody = Type.Object(samplingFields)

/** Returns sampling settings of a checked body. Throws ApiError 400 for a `logit_bias` that does not name token ids. */
export function parseSampling(body: Static<typeof SamplingBody>): Sampling {
  return {
    temperature: body.temperature,
    topP: body.top_p,
    // -1 is how some clients say "all of them".
    topK: body.top_k === -1 ? 0 : body.top_k,
    minP: body.min_p,
    presencePenalty: body.presence_penalty,
    frequencyPenalty: body.frequency_penalty,
    repeatPenalty: body.repeat_penalty ?? body.repetition_penalty,
    logitBias: body.logit_bias === undefined ? undefined : parseLogitBias(body.logit_bias),
    seed: body.seed === undefined ? undefined : maskSeed(body.seed),
  }
}

/**
 * Reduces any integer to its low 32 bits. Seeds beyond 2^53 arrive already rounded (JSON numbers are doubles); equal
 * seeds still give equal results.
 */
function maskSeed(seed: number): number {
  return Number(BigInt.asUintN(32, BigInt(seed)))
}

const maxTokenId = 2 ** 31 - 1

function parseLogitBias(bias: object): [number, number][] {
  return Object.entries(presentFields(bias, 'logit_bias')).map(([key, value]) => {
    const token = Number(key)
    if (!/^\d{1,10}$/.test(key) || token > maxTokenId) {
      throw invalidValue('logit_bias', "an object whose keys are token ids of the model's vocabulary")
    }
    if (typeof value !== 'number' || !(value >= -100 && value <= 100)) {
      throw invalidValue(`logit_bias.${key}`, 'a number from -100 to 100')
    }
    return [token, value]
  })
}

function number(minimum: number, maximum: number) {
  return Type.Optional(Type.Number({ minimum, maximum, description: `a number from ${minimum} to ${maximum}` }))
}
