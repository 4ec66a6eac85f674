import { ApiError } from '../core/errors.ts'

/** Ends a request because its client leaves or because the operator cancels it, whichever comes first. */
export interface Cancellation {
  readonly signal: AbortSignal
  /** Cancels it for the operator: the work ends with an ApiError, which the client receives. */
  cancel(): void
  /** Returns true if the operator cancelled it before the client disconnected. */
  isCancelled(): boolean
}

/** Returns the cancellation of a request. `client` aborts when the client disconnects. */
export function cancellation(client: AbortSignal): Cancellation {
  const controller = new AbortController()
  const { signal } = controller
  const leave = () => controller.abort(client.reason)
  if (client.aborted) leave()
  else client.addEventListener('abort', leave, { once: true })
  let cancelled: ApiError | undefined
  return {
    signal,
    cancel: () => {
      cancelled ??= cancelledByOperator()
      controller.abort(cancelled)
    },
    isCancelled: () => cancelled !== undefined && signal.reason === cancelled,
  }
}

/** Returns a 403, which clients do not retry by themselves. */
function cancelledByOperator(): ApiError {
  const message = "The server's operator cancelled this request. Nothing was charged."
  return new ApiError('permission', message, { code: 'request_cancelled' })
}
