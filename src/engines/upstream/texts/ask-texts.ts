import { ApiError } from '../../../core/errors.ts'
import type { JsonObject } from '../../../core/json.ts'
import { UpstreamFailure } from '../http/failure.ts'
import { requestJson } from '../http/request-json.ts'
import { lengthRefusal } from '../work/length-refusal.ts'
import type { UpstreamEndpoint } from '../work/upstream-work.ts'

export interface TextsQuestion {
  readonly path: string
  readonly body: JsonObject
  readonly limitBytes: number
  /** The field with the texts, as clients name it. */
  readonly param: string
  /** Its server is another inferd, whose own words pass as they are. */
  readonly isInferd: boolean
}

/**
 * The answer of a server. A text that it finds too long is the client's matter, whatever status it has there: throws ApiError 400
 * `context_length_exceeded`, and UpstreamFailure for all else.
 */
export async function askTexts(
  endpoint: UpstreamEndpoint<never>,
  { path, body, limitBytes, param, isInferd }: TextsQuestion,
): Promise<unknown> {
  try {
    return await requestJson({ ...endpoint.to(path), method: 'POST', body }, limitBytes)
  } catch (error) {
    const refusal = !isInferd && error instanceof UpstreamFailure ? lengthRefusal(error) : undefined
    throw refusal === undefined ? error : tooLong(param, refusal)
  }
}

function tooLong(
  param: string,
  { contextTokens, promptTokens }: NonNullable<ReturnType<typeof lengthRefusal>>,
): ApiError {
  const limit = contextTokens === undefined ? 'fewer tokens' : `at most ${contextTokens} tokens`
  const has = promptTokens === undefined ? 'more' : promptTokens
  return new ApiError(
    'invalid_request',
    `The server of this model reads ${limit} of a text, and one in '${param}' has ${has}. Send it in parts.`,
    {
      code: 'context_length_exceeded',
      param,
      ...(contextTokens !== undefined &&
        promptTokens !== undefined && { length: { promptTokens, limitTokens: contextTokens } }),
    },
  )
}
