/** State of the scheduler, and helpers shared by its rules. */
import type { Effect, StopKind, StopReason } from './effects.ts'
import type { RequestId } from './events.ts'
import type { Ledger } from './ledger.ts'
import type { Failure, Model, Phase, PhaseWithProcess } from './model.ts'
import type { Waiter } from './waiting-queue.ts'

export interface State {
  nowMs: number
  readonly models: Map<string, Model>
  readonly ledger: Ledger
  /** Waiting requests in order. */
  readonly waiting: Map<RequestId, Waiting>
  /** Admitted requests -> their model. */
  readonly admitted: Map<RequestId, Model>
  /** Time at which an outstanding reading was requested. Undefined if none is. */
  readingAskedMs: number | undefined
  /** True if a process has ended since the request: the reading may be older, and still count its memory as used. */
  isReadingStale: boolean
  /** Time of the last reading, successful or not. */
  readMs: number
  /** True once the server stops: nothing is started any more. */
  isClosing: boolean
  effects: Effect[]
  /** True if a rule has acted, so that earlier rules may apply now. */
  hasChanged: boolean
}

export interface Waiting {
  readonly model: Model
  readonly waiter: Waiter
  /** True for a request that only waits for the model to be ready, and takes no place. */
  readonly isLoad: boolean
}

export function emit(state: State, effect: Effect): void {
  state.effects.push(effect)
  state.hasChanged = true
}

interface Stop {
  readonly how: StopKind
  readonly why: StopReason
  readonly failure?: Failure
}

/** Stops the model's process, which holds its memory until it has ended. */
export function stopProcess(state: State, model: Model, { how, why, failure }: Stop): void {
  if (model.phase.type === 'absent' || model.phase.type === 'stopping') return
  beginStopping(state, model, model.phase, { killedAtMs: how === 'now' ? state.nowMs : undefined, failure })
  emit(state, { type: 'stop', model: model.id, how, why })
}

type Ending = Pick<Extract<Phase, { type: 'stopping' }>, 'killedAtMs' | 'failure'>

/** Records that a process is ending, by itself or on request. */
export function beginStopping({ nowMs }: State, model: Model, phase: PhaseWithProcess, ending: Ending): void {
  const { holder, placement, revision } = phase
  holder.state = 'stopping'
  model.phase = { type: 'stopping', holder, placement, revision, sinceMs: nowMs, ...ending }
}

/** Stops admitting requests, and stops the process once its requests have ended. Ends a start at once. */
export function drain(state: State, model: Model, why: StopReason): void {
  const { phase } = model
  if (phase.type === 'starting') stopProcess(state, model, { how: 'now', why })
  if (phase.type === 'ready' || phase.type === 'draining')
    model.phase = { ...phase, type: 'draining', why, beneficiary: undefined }
}
