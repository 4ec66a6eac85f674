/**
 * Errors of engines as clients see them. The reason of a failure may name files and other clients' requests, so it is
 * only logged.
 */
import { ApiError } from '../../core/errors.ts'

/** Returns the error of a failed engine. `encoding`: noun for the part of the request that it was encoding. */
export function engineFailed(modelId: string, reason: string, encoding?: string): ApiError {
  const [place, change] =
    encoding === undefined
      ? ['', '']
      : [` while it encoded a ${encoding} of this request`, `, without that ${encoding} if this happens again`]
  const message = `The engine of model '${modelId}' stopped working${place}. Nothing was charged; send the request again${change}.`
  return new ApiError('engine', message, { code: 'engine_failed', cause: new Error(reason) })
}

/** Returns the error of a request that no engine runs any more. `encoding` as above. */
export function deadlyRequest(modelId: string, reason: string, encoding?: string): ApiError {
  const change = encoding === undefined ? 'change it' : `leave out every ${encoding}, or change it,`
  const message = `The engine of model '${modelId}' stopped working each time it was given this request. Nothing was charged; ${change} before you send it again.`
  return new ApiError('engine', message, { code: 'engine_failed', cause: new Error(reason) })
}

/**
 * Returns the error of a prompt that is too long, in words that agents match. `prefix` precedes `promptTokens` if that
 * is only a lower bound; `param` is the field of a raw prompt that is too long.
 */
export function contextExceeded(contextTokens: number, promptTokens: number, prefix = '', param?: string): ApiError {
  const [subject, object] = param === undefined ? ['your messages', 'them'] : [`'${param}'`, 'it']
  const message = `This model's maximum context length is ${contextTokens} tokens. However, ${subject} resulted in ${prefix}${promptTokens} tokens. Please shorten ${object} and leave room for the answer.`
  return new ApiError('invalid_request', message, {
    code: 'context_length_exceeded',
    param: param ?? 'messages',
    length: { promptTokens, limitTokens: contextTokens },
  })
}

export function overloaded(modelId: string): ApiError {
  const message = `Too many requests wait for model '${modelId}' already. Try again in a moment.`
  return new ApiError('unavailable', message, { code: 'overloaded', retryAfterSeconds: 5 })
}

/** Returns the refusal of the field `param`. `message` says why this model does not take its value. */
export function refusedValue(message: string, param: string, cause?: unknown): ApiError {
  return new ApiError('invalid_request', message, { code: 'invalid_value', param, cause })
}

/** Returns the refusal of a part that has crashed the engine before. `noun` names the part. */
export function deadlyPart(noun: string, code: string, param: string): ApiError {
  const message = `The engine stopped working each time it encoded this ${noun}. Save the ${noun} in another format or size, or leave it out.`
  return new ApiError('invalid_request', message, { code, param })
}

/** Returns the refusal of a part of a message. `what`: the problem and the next step, without a full stop. */
export function refusedPart(param: string, what: string): ApiError {
  return new ApiError('invalid_request', `'${param}' ${what}.`, { code: 'unsupported_content', param })
}

/**
 * Returns the refusal of a field that the engine does not support. `words` follow "'param' is not supported" with the
 * next step.
 */
export function unsupportedParameter(param: string, words: string): ApiError {
  const message = `'${param}' is not supported${words}`
  return new ApiError('invalid_request', message, { code: 'unsupported_parameter', param })
}

/** Log probabilities that the scores of one request may have: about 50 MB as JSON. */
const mostScores = 1024 * 1024

/** Throws if the scores of a request's prompts would be too many. `param` is the field of the prompts. */
export function requireFewScores(promptTokens: number, alternatives: number, param: string): void {
  const most = Math.floor(mostScores / (alternatives + 1))
  if (promptTokens <= most) return
  const message = `'${param}' has ${promptTokens} tokens: with ${alternatives} alternatives for each, at most ${most} are scored in one request. Send fewer prompts, or ask for fewer alternatives.`
  throw refusedValue(message, param)
}

/** Seconds to retry after if the time of recovery is unknown. */
const usualRetrySeconds = 5

/** Returns the error if none of the model's servers can be used. */
export function noServer(modelId: string, retryInMs = usualRetrySeconds * 1000): ApiError {
  const retryAfterSeconds = Math.max(1, Math.ceil(retryInMs / 1000))
  const message = `None of the servers of model '${modelId}' can be used now. Try again in ${retryAfterSeconds} s; 'inferd endpoints' tells its operator more.`
  return new ApiError('unavailable', message, { code: 'model_unavailable', retryAfterSeconds })
}

/** Returns the error after too long a wait for a free place at the servers. */
export function serversBusy(modelId: string): ApiError {
  const message = `All servers of model '${modelId}' are busy. Try again in a moment.`
  return new ApiError('unavailable', message, { code: 'overloaded', retryAfterSeconds: usualRetrySeconds })
}
