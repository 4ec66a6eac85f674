/** Events of requests and operators' loads: arrival, begin, clearing, and end. */
import { mayEnter } from './admission.ts'
import { withArrival } from './arrival-rate.ts'
import type { Rejection } from './effects.ts'
import type { EventOf, RequestId } from './events.ts'
import { expectedWaitMs } from './expected-wait.ts'
import { type Admitted, type Model, noTroubles } from './model.ts'
import { closing, failedBefore, noRoom, reject, rejection, tooLong } from './reject.ts'
import { planRoom } from './room-plan.ts'
import type { State } from './state.ts'
import { hasRoom, waitingFor } from './waiting-room.ts'

const unknown = rejection('model_unavailable', 60_000, { reason: 'there is no such model' })
const full = rejection('overloaded', 5_000, {})
/** Weight of a new observation in the average. */
const learningRate = 0.1

/**
 * Queues a request, or rejects it. A request that was admitted before is not counted again, and never rejected for lack
 * of places or for its wait.
 */
export function receive(state: State, event: EventOf<'request'>): void {
  const { request, account, kind, waitLimitMs, again } = event
  const model = state.models.get(event.model)
  const refuse = model !== undefined && again === undefined ? refusalOfNew(state, model, event) : refusal(state, model)
  if (model === undefined || refuse !== undefined) {
    reject(state, request, event.model, refuse ?? unknown)
    return
  }
  const waiter = { request, account, kind, sinceMs: state.nowMs, deadlineMs: state.nowMs + waitLimitMs, again }
  model.queue.add(waiter)
  state.waiting.set(request, { model, waiter, isLoad: false })
}

/** Takes an operator's load, which retries earlier failures. */
export function receiveLoad(state: State, { request, model: id, waitLimitMs }: EventOf<'load'>): void {
  const model = state.models.get(id)
  if (model !== undefined) model.troubles = noTroubles()
  const refuse = refusal(state, model)
  if (model === undefined || refuse !== undefined) {
    reject(state, request, id, refuse ?? unknown)
    return
  }
  const waiter = { request, account: '', sinceMs: state.nowMs, deadlineMs: state.nowMs + waitLimitMs }
  model.loads.push(waiter)
  state.waiting.set(request, { model, waiter, isLoad: true })
}

function refusal(state: State, model: Model | undefined): Rejection | undefined {
  if (state.isClosing) return closing
  return model === undefined || model.isRemoved ? unknown : failedBefore(model, state.nowMs)
}

/** Returns the reason why a new request may not wait. Only requests that find a place count as use of the model. */
function refusalOfNew(state: State, model: Model, event: EventOf<'request'>): Rejection | undefined {
  if (!hasRoom(event, waitingFor(model), model.settings.maxWaiting)) return full
  model.arrivals = withArrival(model.arrivals, state.nowMs)
  return refusal(state, model) ?? tooLongWait(state, model, event)
}

/** Returns the rejection of a request whose expected wait exceeds its limit. Its model is loaded nevertheless. */
function tooLongWait(state: State, model: Model, event: EventOf<'request'>): Rejection | undefined {
  if (mayEnter(model, { account: event.account })) return undefined
  const waitMs = expectedWaitMs(state, model, event.account)
  if (waitMs <= event.waitLimitMs) return undefined
  if (model.phase.type !== 'ready' && model.phase.type !== 'starting') {
    const plan = planRoom(state, model, new Set())
    if (plan.type === 'impossible') return noRoom(plan.shortage)
    // The client is told to retry later: by then the model is loaded, or loading.
    model.wish = 'for-idle'
  }
  return tooLong(model, waitMs)
}

/** Records that a request has left its place in the waiting room. */
export function begin(state: State, { request }: EventOf<'begun'>): void {
  change(state, request, { hasBegun: true })
}

/** Clears a suspect that has produced output. */
export function clear(state: State, { request }: EventOf<'cleared'>): void {
  change(state, request, { standing: 'cleared' })
}

function change(state: State, request: RequestId, facts: Partial<Admitted>): void {
  const model = state.admitted.get(request)
  const admitted = model?.admitted.get(request)
  if (model !== undefined && admitted !== undefined) model.admitted.set(request, { ...admitted, ...facts })
}

export function finish(state: State, { request, isServed = false }: EventOf<'finished'>): void {
  const model = state.admitted.get(request)
  const admitted = model?.admitted.get(request)
  if (model === undefined || admitted === undefined) return
  state.admitted.delete(request)
  model.admitted.delete(request)
  model.lastUsedMs = state.nowMs
  // A process that serves requests between its crashes is not a broken one.
  if (isServed) model.troubles.crashTimesMs.length = 0
  model.serviceMs += (state.nowMs - admitted.atMs - model.serviceMs) * learningRate
}
