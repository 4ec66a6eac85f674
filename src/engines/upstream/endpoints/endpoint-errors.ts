import { ApiError } from '../../../core/errors.ts'

/** Seconds where nothing says when it will be better. */
const usualRetrySeconds = 5

/** None of the model's servers may be asked. */
export function noServer(modelId: string, retryInMs = usualRetrySeconds * 1000): ApiError {
  const retryAfterSeconds = Math.max(1, Math.ceil(retryInMs / 1000))
  const message = `None of the servers of model '${modelId}' can be used now. Try again in ${retryAfterSeconds} s; 'inferd endpoints' tells its operator more.`
  return new ApiError('unavailable', message, { code: 'model_unavailable', retryAfterSeconds })
}

/** The wait for a place was too long. */
export function allBusy(modelId: string): ApiError {
  const message = `All servers of model '${modelId}' are busy. Try again in a moment.`
  return new ApiError('unavailable', message, { code: 'overloaded', retryAfterSeconds: usualRetrySeconds })
}
