/** Sends the texts of one request to a model's servers, in as many consecutive calls as needed. */
import { ApiError } from '../../../core/errors.ts'
import type { JsonObject } from '../../../core/json.ts'
import { nothingConsumed } from '../../../core/usage.ts'
import { flavors } from '../flavors.ts'
import { UpstreamFailure } from '../http/failure.ts'
import { requestJson } from '../http/request-json.ts'
import { type LengthRefusal, lengthRefusal } from '../work/length-refusal.ts'
import type { UpstreamLink, WorkContext } from '../work/upstream-work.ts'
import { batchesOf } from './batches.ts'
import { textAbilities } from './text-abilities.ts'

interface TextsQuestion<Output> {
  readonly path: string
  /** Field of the texts in the client's request. */
  readonly param: string
  /** Most tokens of each text. */
  readonly limits: readonly number[]
  /** Returns the call for the texts `[begin, end)`. */
  readonly batch: (begin: number, end: number) => TextsBatch
  /** Reads the answer for these texts. Returns the prompt's tokens; undefined if the server does not report them. */
  readonly read: (answer: unknown, begin: number, end: number) => number | undefined
  /** Returns the client's outputs once all answers have been read. */
  readonly outputs: () => readonly Output[]
}

interface TextsBatch {
  readonly body: JsonObject
  /** Most bytes of the answer. */
  readonly limitBytes: number
  /** Tokens to charge if the server does not count. */
  readonly guessedTokens: number
}

export async function askInBatches<Output>(
  link: UpstreamLink<Output>,
  { flavor }: WorkContext,
  { path, param, limits, batch, read, outputs }: TextsQuestion<Output>,
): Promise<void> {
  const all = [0, limits.length] as const
  let promptTokens = 0
  let isEstimated = false
  const used = (tokens: number, isGuess: boolean) => link.used({ ...nothingConsumed, promptTokens: tokens }, isGuess)
  for (const [begin, end] of textAbilities[flavor].takesAll ? [all] : batchesOf(limits)) {
    const { body, limitBytes, guessedTokens } = batch(begin, end)
    await link.call(async (endpoint) => {
      // If the client disconnects, a batch that a server has begun is charged.
      used(promptTokens + guessedTokens, true)
      const answer = await requestJson({ ...endpoint.to(path), method: 'POST', body }, limitBytes).catch((error) => {
        throw flavors[flavor].isInferd ? error : asTooLong(error, param)
      })
      const counted = read(answer, begin, end)
      promptTokens += counted ?? guessedTokens
      isEstimated ||= counted === undefined
      used(promptTokens, isEstimated)
      if (end === limits.length) endpoint.emit(outputs())
    })
  }
}

/** Returns the client's error if a server finds a text too long, whatever status it used; other errors unchanged. */
function asTooLong(error: unknown, param: string): unknown {
  const refusal = error instanceof UpstreamFailure ? lengthRefusal(error) : undefined
  return refusal === undefined ? error : tooLong(param, refusal)
}

function tooLong(param: string, { contextTokens, promptTokens }: LengthRefusal): ApiError {
  const limit = contextTokens === undefined ? 'fewer tokens' : `at most ${contextTokens} tokens`
  const isKnown = contextTokens !== undefined && promptTokens !== undefined
  return new ApiError(
    'invalid_request',
    `The server of this model reads ${limit} of a text, and one in '${param}' has ${promptTokens ?? 'more'}. Send it in parts.`,
    {
      ...{ code: 'context_length_exceeded', param },
      ...(isKnown && { length: { promptTokens, limitTokens: contextTokens } }),
    },
  )
}
