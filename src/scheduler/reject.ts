/** Rejection of requests, with code and facts. */
import type { Rejection, RejectionCode, RejectionFacts, Shortage } from './effects.ts'
import type { RequestId } from './events.ts'
import type { Model } from './model.ts'
import { emit, type State, type Waiting } from './state.ts'

/** Maximum seconds until a retry. Clients ignore larger values. */
export const longestRetrySeconds = 60

export function rejection(code: RejectionCode, retryAfterMs: number, facts: RejectionFacts): Rejection {
  const seconds = Math.ceil(retryAfterMs / 1000)
  return { code, retryAfterSeconds: Math.min(Math.max(seconds, 1), longestRetrySeconds), facts }
}

/** Rejection of all requests that wait or arrive while the server stops. */
export const closing = rejection('model_unavailable', 5_000, { reason: 'the server stops' })

/** Returns the rejection of a request whose wait exceeds its limit, or is expected to. */
export function tooLong(model: Model, waitMs: number): Rejection {
  const code = model.phase.type === 'ready' ? 'overloaded' : 'model_loading'
  return rejection(code, waitMs, { expectedWaitMs: waitMs })
}

export function noRoom(shortage: Shortage): Rejection {
  return rejection('insufficient_memory', longestRetrySeconds * 1000, { shortage })
}

export function failedBefore(model: Model, nowMs: number): Rejection | undefined {
  const { failed } = model.troubles
  if (failed === undefined) return undefined
  const untilMs = failed.untilMs ?? Number.POSITIVE_INFINITY
  return rejection(failed.code, untilMs - nowMs, { reason: failed.reason })
}

export function reject(state: State, request: RequestId, model: string, why: Rejection): void {
  emit(state, { type: 'reject', request, model, ...why })
}

/** Rejects all requests and loads that wait for the model. */
export function rejectWaiting(state: State, model: Model, why: Rejection): void {
  for (const { request } of [...model.loads, ...model.queue]) {
    leaveQueue(state, request)
    reject(state, request, model.id, why)
  }
}

/** Removes a request from the queue. Returns undefined if it is not waiting. */
export function leaveQueue(state: State, request: RequestId): Waiting | undefined {
  const waiting = state.waiting.get(request)
  if (waiting === undefined) return undefined
  state.waiting.delete(request)
  const { model, waiter, isLoad } = waiting
  if (isLoad) model.loads.splice(model.loads.indexOf(waiter), 1)
  else model.queue.remove(waiter)
  return waiting
}
