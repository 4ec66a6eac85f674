/** Requests that come, and those that a ready model takes. */
import { withArrival } from './arrival-rate.ts'
import type { Rejection } from './effects.ts'
import type { SchedulerEvent } from './events.ts'
import { expectedWaitMs } from './expected-wait.ts'
import { type Admitted, type Model, noTroubles } from './model.ts'
import { failedBefore, leaveQueue, noRoom, reject, rejection, tooLong } from './reject.ts'
import { planRoom } from './room-plan.ts'
import { emit, type State } from './state.ts'
import type { QueuedRequest } from './waiting-queue.ts'
import { hasRoom, waitingFor } from './waiting-room.ts'

type Request = Extract<SchedulerEvent, { type: 'request' }>
type Finished = Extract<SchedulerEvent, { type: 'finished' }>
type Load = Extract<SchedulerEvent, { type: 'load' }>

const closing = rejection('model_unavailable', 5_000, { reason: 'the server stops' })
const unknown = rejection('model_unavailable', 60_000, { reason: 'there is no such model' })
const full = rejection('overloaded', 5_000, {})

/** Lets a request wait, or rejects it. One that was admitted `again` is neither counted twice nor turned away for others. */
export function receive(state: State, event: Request): void {
  const { request, model: id, account, kind, waitLimitMs, again } = event
  const model = state.models.get(id)
  const refuse = model !== undefined && again === undefined ? refusalOfNew(state, model, event) : refusal(state, model)
  if (model === undefined || refuse !== undefined) {
    reject(state, request, id, refuse ?? unknown)
    return
  }
  const waiter = { request, account, kind, sinceMs: state.nowMs, deadlineMs: state.nowMs + waitLimitMs, again }
  model.queue.add(waiter)
  state.waiting.set(request, { model, waiter, isLoad: false })
}

/** Takes an operator's load, which retries earlier failures. */
export function receiveLoad(state: State, { request, model: id, waitLimitMs }: Load): void {
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

export function admitWaiting(state: State): void {
  for (const model of state.models.values()) {
    if (model.phase.type !== 'ready') continue
    for (const { request } of [...model.loads]) {
      leaveQueue(state, request)
      emit(state, { type: 'admit', request, model: model.id })
    }
    admitRequests(state, model)
  }
}

function admitRequests(state: State, model: Model): void {
  if (model.queue.size === 0) return
  const inside = insideOf(model)
  for (;;) {
    const waiter = model.queue.take((next) => mayEnter(model, next, inside))
    if (waiter === undefined) return
    const { account, kind, again } = waiter
    inside.accounts.add(account)
    state.waiting.delete(waiter.request)
    state.admitted.set(waiter.request, model)
    const standing = again === 'suspect' ? again : 'usual'
    inside.standings.add(standing)
    model.admitted.set(waiter.request, { account, kind, hasBegun: false, atMs: state.nowMs, standing })
    emit(state, { type: 'admit', request: waiter.request, model: model.id })
  }
}

/**
 * Returns whether a request may enter: a place is free, or its account has nothing there and so gets its share, since
 * the engine is fair between accounts. Suspects come first, each alone but for cleared ones: if the process ends once
 * more, its cause is known, and no other is lost.
 */
function mayEnter(
  { phase, admitted, queue, settings: { places } }: Model,
  { account, again }: Pick<QueuedRequest, 'account' | 'again'>,
  { accounts, standings }: Inside,
): boolean {
  if (phase.type !== 'ready' || standings.has('suspect')) return false
  if (again === 'suspect') return admitted.size < places && !standings.has('usual')
  if (queue.suspects > 0) return false
  if (admitted.size < places) return true
  return admitted.size < 2 * places && !accounts.has(account)
}

/** Records that a request has left its place in the waiting room. */
export function begin(state: State, request: number): void {
  change(state, request, { hasBegun: true })
}

/** Clears a suspect that has produced output. */
export function clear(state: State, request: number): void {
  change(state, request, { standing: 'cleared' })
}

function change(state: State, request: number, facts: Partial<Admitted>): void {
  const model = state.admitted.get(request)
  const admitted = model?.admitted.get(request)
  if (model !== undefined && admitted !== undefined) model.admitted.set(request, { ...admitted, ...facts })
}

interface Inside {
  readonly accounts: Set<string>
  readonly standings: Set<Admitted['standing']>
}

/** Accounts that have an admitted request, and how these stand. */
function insideOf({ admitted }: Model): Inside {
  const inside: Inside = { accounts: new Set(), standings: new Set() }
  for (const { account, standing } of admitted.values()) {
    inside.accounts.add(account)
    inside.standings.add(standing)
  }
  return inside
}

/** Returns why a new request is not taken. Those that find no place to wait are no arrivals: they say nothing about the model's use. */
function refusalOfNew(state: State, model: Model, event: Request): Rejection | undefined {
  if (!hasRoom(event, waitingFor(model), model.settings.maxWaiting)) return full
  model.arrivals = withArrival(model.arrivals, state.nowMs)
  return refusal(state, model) ?? tooLongWait(state, model, event)
}

/** Returns the rejection of a request that is expected to wait for longer than it may. */
function tooLongWait(state: State, model: Model, { account, waitLimitMs }: Request): Rejection | undefined {
  if (mayEnter(model, { account }, insideOf(model))) return undefined
  const waitMs = expectedWaitMs(state, model, account)
  if (waitMs <= waitLimitMs) return undefined
  if (model.phase.type !== 'ready' && model.phase.type !== 'starting') {
    const plan = planRoom(state, model, new Set())
    if (plan.type === 'impossible') return noRoom(plan.shortage)
    // The client is asked to retry later: then the model is loaded, or loading.
    model.wish = 'for-idle'
  }
  return tooLong(model, waitMs)
}

function refusal(state: State, model: Model | undefined): Rejection | undefined {
  if (state.isClosing) return closing
  return model === undefined || model.isRemoved ? unknown : failedBefore(model, state.nowMs)
}

export function finish(state: State, { request, isServed = false }: Finished): void {
  const model = state.admitted.get(request)
  const admitted = model?.admitted.get(request)
  if (model === undefined || admitted === undefined) return
  state.admitted.delete(request)
  model.admitted.delete(request)
  model.lastUsedMs = state.nowMs
  // Processes that end now and then are not those that end each time.
  if (isServed) model.troubles.crashTimesMs.length = 0
  model.serviceMs += (state.nowMs - admitted.atMs - model.serviceMs) * learningRate
}

/** Weight of a new observation in the average. */
const learningRate = 0.1
