/**
 * Decides which models are loaded, and which requests are admitted: events and times in, effects out. Deterministic.
 */
import type { PoolId } from '../core/memory.ts'
import { unreachable } from '../core/unreachable.ts'
import { admitWaiting, begin, clear, finish, receive, receiveLoad } from './admit.ts'
import { configure, forgetRemoved, stopAll, unload } from './commands.ts'
import type { Effect } from './effects.ts'
import type { SchedulerEvent } from './events.ts'
import { forgetOldFailures } from './failure-steps.ts'
import { Ledger } from './ledger.ts'
import { askForEstimates, loadModels, stopUnwantedStarts } from './load-models.ts'
import type { Model } from './model.ts'
import { estimated, estimateFailed, exited, grew, progressed, started, startFailed } from './processes.ts'
import { leaveQueue, rejectLate } from './reject.ts'
import { type SpareBytes, spareBytes } from './spare-bytes.ts'
import { emit, type State } from './state.ts'
import { SteadyClock } from './steady-clock.ts'
import { enforceLimits } from './time-limits.ts'
import { endNeedlessDrains, relievePressure, stopDrained, stopIdle } from './unload-models.ts'
import { type ModelView, type PoolView, viewModels, viewPools, viewWaiting, type WaitingView } from './view.ts'
import { nextWakeMs, readMemory, takeReading } from './wake.ts'

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
      settings: { pools: {}, models: [] },
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
    take(state, event)
    do {
      state.hasChanged = false
      applyRules(state)
    } while (state.hasChanged)
    this.#wake()
    return state.effects
  }

  models(): readonly ModelView[] {
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

function take(state: State, event: SchedulerEvent): void {
  switch (event.type) {
    case 'configured':
      configure(state, event.settings)
      break
    case 'request':
      receive(state, event)
      break
    case 'load':
      receiveLoad(state, event)
      break
    case 'cancel':
      leaveQueue(state, event.request)
      break
    case 'finished':
      finish(state, event)
      break
    case 'begun':
      begin(state, event.request)
      break
    case 'cleared':
      clear(state, event.request)
      break
    case 'memory':
      takeReading(state, event.pools)
      break
    case 'stop-all':
      stopAll(state)
      break
    case 'tick':
      break
    default: {
      const model = state.models.get(event.model)
      if (model !== undefined) takeOfModel(state, model, event)
    }
  }
}

type OfModel = Exclude<Extract<SchedulerEvent, { model: string }>, { type: 'request' | 'load' }>

function takeOfModel(state: State, model: Model, event: OfModel): void {
  switch (event.type) {
    case 'estimated':
      estimated(model, event)
      break
    case 'estimate-failed':
      estimateFailed(state, model, event)
      break
    case 'progress':
      progressed(state, model, event)
      break
    case 'started':
      started(state, model, event)
      break
    case 'start-failed':
      startFailed(state, model, event)
      break
    case 'grew':
      grew(state, model, event)
      break
    case 'exited':
      exited(state, model, event)
      break
    case 'unload':
      unload(state, model)
      break
    default:
      unreachable(event)
  }
}

/** Applies the rules in this order after every event, until nothing changes. */
function applyRules(state: State): void {
  state.ledger.release(state.nowMs)
  enforceLimits(state)
  endNeedlessDrains(state)
  stopIdle(state)
  admitWaiting(state)
  // After that, so that one that would not wait is admitted where it need not.
  rejectLate(state)
  stopDrained(state)
  relievePressure(state)
  stopUnwantedStarts(state)
  askForEstimates(state)
  loadModels(state)
  readMemory(state)
  forgetRemoved(state)
}
