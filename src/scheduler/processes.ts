/** Events of a model's process: it starts, serves, grows, fails, ends. */
import type { EventOf } from './events.ts'
import { afterFailedStart, afterLostProcess, afterStart, fail, failForAWhile } from './failure-steps.ts'
import { largest } from './memory-bytes.ts'
import type { Failure, Model } from './model.ts'
import { beginStopping, type State } from './state.ts'

export function estimated(
  _state: State,
  model: Model,
  { placements, loadMs = model.loadMs }: EventOf<'estimated'>,
): void {
  model.estimate = placements
  model.loadMs = loadMs
}

export function estimateFailed(state: State, model: Model, { cause, reason }: EventOf<'estimate-failed'>): void {
  model.estimate = 'unknown'
  if (cause === 'bad-model') fail(state, model, 'model_unavailable', reason, undefined)
  else failForAWhile(state, model, 'model_unavailable', reason)
}

export function progressed({ nowMs }: State, { phase }: Model, { fraction }: EventOf<'progress'>): void {
  if (phase.type !== 'starting') return
  phase.progressAtMs = nowMs
  phase.fraction = fraction
}

export function started(state: State, model: Model, { measured }: EventOf<'started'>): void {
  const { phase } = model
  if (phase.type !== 'starting') return
  const { holder, placement, revision, sinceMs } = phase
  holder.state = 'serving'
  model.phase = { type: 'ready', holder, placement, revision, sinceMs: state.nowMs }
  model.loadMs = (model.loadMs + state.nowMs - sinceMs) / 2
  model.wish = 'none'
  afterStart(model)
  if (measured !== undefined) grew(state, model, { type: 'grew', model: model.id, measured })
}

export function startFailed(state: State, model: Model, { cause, reason }: EventOf<'start-failed'>): void {
  if (model.phase.type !== 'starting') return
  beginStopping(state, model, model.phase, { killedAtMs: undefined, failure: { cause, reason } })
}

/** Records a process's observed use, which its next start reserves. */
export function grew({ ledger }: State, { phase, seen }: Model, { measured }: EventOf<'grew'>): void {
  if (phase.type === 'absent') return
  ledger.measure(phase.holder, measured)
  seen.set(phase.placement.key, largest(seen.get(phase.placement.key) ?? {}, measured))
}

/** Frees what the process held, and takes the steps that follow its end. */
export function exited(state: State, model: Model, event: EventOf<'exited'>): void {
  const { phase, admitted } = model
  if (phase.type === 'absent') return
  state.ledger.end(phase.holder, state.nowMs)
  state.isReadingStale = state.readingAskedMs !== undefined
  model.phase = { type: 'absent' }
  if (admitted.size > 0) model.lastUsedMs = state.nowMs
  const isExplained = [...admitted.values()].some(({ standing }) => standing === 'suspect')
  for (const request of admitted.keys()) state.admitted.delete(request)
  admitted.clear()
  const { cause, reason } = event
  const lost: Failure = { cause: cause === 'oom' ? 'oom' : 'crash', reason }
  const failure = phase.type === 'starting' ? lost : phase.type === 'stopping' ? phase.failure : undefined
  if (failure !== undefined) afterFailedStart(state, model, phase, failure)
  else if (phase.type !== 'stopping') afterLostProcess(state, model, phase, event, isExplained)
}
