/**
 * Decides which models are loaded, and which requests are admitted: events and times in, effects out. Deterministic.
 */
import type { PoolId } from '../core/memory.ts'
import { configure, stopAll, unload } from './commands.ts'
import type { Effect } from './effects.ts'
import type { EventOf, SchedulerEvent } from './events.ts'
import { forgetOldFailures } from './failure-steps.ts'
import { Ledger } from './ledger.ts'
import type { Model } from './model.ts'
import { estimated, estimateFailed, exited, grew, progressed, started, startFailed } from './processes.ts'
import { takeReading } from './readings.ts'
import { leaveQueue } from './reject.ts'
import { begin, clear, finish, receive, receiveLoad } from './requests.ts'
import { applyRules } from './rules.ts'
import { type SpareBytes, spareBytes } from './spare-bytes.ts'
import { emit, type State } from './state.ts'
import { SteadyClock } from './steady-clock.ts'
import { type PoolView, type ScheduledModel, viewModels, viewPools, viewWaiting, type WaitingView } from './view.ts'
import { nextWakeMs } from './wake.ts'

export class Scheduler {
  readonly #clock: SteadyClock
  readonly #state: State
  /** Time of the next tick, by the steady clock. */
  #tickMs = Number.POSITIVE_INFINITY

  /** `nowMs` is the time before the first event, which is `configured`. */
  constructor(nowMs: number) {
    this.#clock = new SteadyClock(nowMs)
    this.#state = {
      nowMs,
      models: new Map(),
      ledger: new Ledger(),
      waiting: new Map(),
      admitted: new Map(),
      readingAskedMs: undefined,
      isReadingStale: false,
      readMs: Number.NEGATIVE_INFINITY,
      isClosing: false,
      effects: [],
      hasChanged: false,
    }
  }

  /**
   * Handles an event. `nowMs` is in milliseconds of a clock that should not go back. Events about unknown things have
   * no effect.
   */
  handle(event: SchedulerEvent, nowMs: number): readonly Effect[] {
    const state = this.#state
    this.#clock.advance(nowMs, this.#tickMs)
    state.nowMs = this.#clock.nowMs
    state.effects = []
    if (event.type === 'tick' || this.#tickMs <= state.nowMs) this.#tickMs = Number.POSITIVE_INFINITY
    forgetOldFailures(state)
    const handle = handlers[event.type] as Handle<typeof event.type> // the one of its type
    handle(state, event)
    applyRules(state)
    this.#wake()
    return state.effects
  }

  models(): readonly ScheduledModel[] {
    return viewModels(this.#state, this.#clock)
  }

  pools(): readonly PoolView[] {
    return viewPools(this.#state, this.#clock)
  }

  waiting(): readonly WaitingView[] {
    return viewWaiting(this.#state, this.#clock)
  }

  /** Returns the number of suspects that wait for the model. */
  waitingSuspects(model: string): number {
    return this.#state.models.get(model)?.queue.suspects ?? 0
  }

  spareBytes(pool: PoolId): SpareBytes {
    return spareBytes(this.#state, pool)
  }

  /** Requests the next tick. An earlier one that is already due stays, because it does no harm. */
  #wake(): void {
    const wakeMs = nextWakeMs(this.#state)
    if (wakeMs >= this.#tickMs) return
    this.#tickMs = wakeMs
    emit(this.#state, { type: 'wake', atMs: this.#clock.toArmMs(wakeMs) })
  }
}

type Handle<Type extends SchedulerEvent['type']> = (state: State, event: EventOf<Type>) => void

/** Returns a handler that ignores events of unknown models. */
function ofModel<Event extends { readonly model: string }>(
  handle: (state: State, model: Model, event: Event) => void,
): (state: State, event: Event) => void {
  return (state, event) => {
    const model = state.models.get(event.model)
    if (model !== undefined) handle(state, model, event)
  }
}

const handlers: { readonly [Type in SchedulerEvent['type']]: Handle<Type> } = {
  configured: configure,
  request: receive,
  load: receiveLoad,
  cancel: (state, { request }) => leaveQueue(state, request),
  begun: begin,
  cleared: clear,
  finished: finish,
  estimated: ofModel(estimated),
  'estimate-failed': ofModel(estimateFailed),
  progress: ofModel(progressed),
  started: ofModel(started),
  'start-failed': ofModel(startFailed),
  grew: ofModel(grew),
  exited: ofModel(exited),
  unload: ofModel(unload),
  memory: takeReading,
  'stop-all': stopAll,
  tick: () => undefined,
}
