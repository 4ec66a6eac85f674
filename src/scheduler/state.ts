/** The scheduler's state, and what all of its rules share. */
import type { Effect, StopKind, StopReason } from './effects.ts'
import type { RequestId } from './events.ts'
import type { Ledger } from './ledger.ts'
import type { Failure, Model, PhaseWithProcess } from './model.ts'
import type { SchedulerSettings } from './settings.ts'
import type { Waiter } from './waiting-queue.ts'

export interface State {
  nowMs: number
  settings: SchedulerSettings
  readonly models: Map<string, Model>
  readonly ledger: Ledger
  /** Those that wait, in their order. */
  readonly waiting: Map<RequestId, Waiting>
  /** Admitted requests -> their model. */
  readonly admitted: Map<RequestId, Model>
  /** When a reading was asked for that has not come. */
  readingAskedMs: number | undefined
  /** A process has ended since: what is read may be from before, and show its memory as used. */
  isReadingStale: boolean
  /** When the last reading came, with or without a result. */
  readMs: number
  /** Nothing is started any more. */
  isClosing: boolean
  effects: Effect[]
}

export interface Waiting {
  readonly model: Model
  readonly waiter: Waiter
  /** Waits for the model to be ready, and takes no place. */
  readonly isLoad: boolean
}

export function emit(state: State, effect: Effect): void {
  state.effects.push(effect)
}

/** A reading that does not come is asked for again after this long. */
const readingLimitMs = 2_000
/** Memory is read no more often than this. */
export const readAgainMs = 250

export function askForReading(state: State): void {
  const { readingAskedMs, readMs, nowMs } = state
  if (nowMs - readMs < readAgainMs) return
  if (readingAskedMs !== undefined && nowMs - readingAskedMs < readingLimitMs) return
  state.readingAskedMs = nowMs
  emit(state, { type: 'read-memory' })
}

interface Stop {
  readonly how: StopKind
  readonly why: StopReason
  readonly failure?: Failure
}

/** Ends the model's process. Its memory is its own until it is gone. */
export function stopProcess(state: State, model: Model, { how, why, failure }: Stop): void {
  if (model.phase.type === 'absent' || model.phase.type === 'stopping') return
  beginStopping(state, model, model.phase, how === 'now' ? state.nowMs : undefined, failure)
  emit(state, { type: 'stop', model: model.id, how, why })
}

/** Its process ends, by itself or since it was asked to. */
export function beginStopping(
  state: State,
  model: Model,
  { holder, placement, revision }: PhaseWithProcess,
  killedAtMs: number | undefined,
  failure: Failure | undefined,
): void {
  holder.state = 'stopping'
  const sinceMs = state.nowMs
  model.phase = { type: 'stopping', holder, placement, revision, sinceMs, killedAtMs, failure }
}
