/** What clients are told about engines. The reason of a failure names files and requests of others: it is logged only. */
import { ApiError } from '../core/errors.ts'

export function engineFailed(modelId: string, reason: string): ApiError {
  const message = `The engine of model '${modelId}' stopped working. Nothing was charged; send the request again.`
  return new ApiError('engine', message, { code: 'engine_failed', cause: new Error(reason) })
}

/** `what` completes "Model '…' ". */
export function modelUnavailable(
  modelId: string,
  what: string,
  details: { readonly reason?: string; readonly retryAfterSeconds?: number } = {},
): ApiError {
  const message = `Model '${modelId}' ${what}. The server's log and 'inferd ps' tell its operator more.`
  const { reason, retryAfterSeconds } = details
  const cause = reason === undefined ? undefined : new Error(reason)
  return new ApiError('unavailable', message, { code: 'model_unavailable', retryAfterSeconds, cause })
}

/**
 * Agents match errors by this wording. `prefix` stands before `promptTokens` where that is only a lower bound.
 */
export function contextExceeded(contextTokens: number, promptTokens: number, prefix = ''): ApiError {
  const message = `This model's maximum context length is ${contextTokens} tokens. However, your messages resulted in ${prefix}${promptTokens} tokens. Please shorten them and leave room for the answer.`
  return new ApiError('invalid_request', message, {
    code: 'context_length_exceeded',
    param: 'messages',
    length: { promptTokens, limitTokens: contextTokens },
  })
}

export function overloaded(modelId: string): ApiError {
  const message = `Too many requests wait for model '${modelId}' already. Try again in a moment.`
  return new ApiError('unavailable', message, { code: 'overloaded', retryAfterSeconds: 5 })
}

/** `message` says why this model does not take the value of the field `param`. */
export function refusedValue(message: string, param: string, cause?: unknown): ApiError {
  return new ApiError('invalid_request', message, { code: 'invalid_value', param, cause })
}
