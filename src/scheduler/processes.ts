/** Events of a model's process: it starts, serves, grows, fails, ends. */
import type { SchedulerEvent } from './events.ts'
import { afterFailedStart, afterLostProcess, afterStart, fail, failForAWhile } from './failure-steps.ts'
import { largest } from './memory-bytes.ts'
import type { Model } from './model.ts'
import { beginStopping, type State } from './state.ts'

type Of<Type extends SchedulerEvent['type']> = Extract<SchedulerEvent, { type: Type }>

export function estimated(model: Model, { placements, loadMs = model.loadMs }: Of<'estimated'>): void {
  model.estimate = placements
  model.loadMs = loadMs
}

export function estimateFailed(state: State, model: Model, { cause, reason }: Of<'estimate-failed'>): void {
  model.estimate = 'unknown'
  if (cause === 'bad-model') fail(state, model, 'model_unavailable', reason, undefined)
  else failForAWhile(state, model, 'model_unavailable', reason)
}

export function progressed({ nowMs }: State, { phase }: Model, { fraction }: Of<'progress'>): void {
  if (phase.type !== 'starting') return
  phase.progressAtMs = nowMs
  phase.fraction = fraction
}

export function started(state: State, model: Model, { measured }: Of<'started'>): void {
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

export function startFailed(state: State, model: Model, { cause, reason }: Of<'start-failed'>): void {
  if (model.phase.type !== 'starting') return
  beginStopping(state, model, model.phase, undefined, { cause, reason })
}

/** Records a process's observed use, which the next start reserves. */
export function grew({ ledger }: State, { phase, seen }: Model, { measured }: Of<'grew'>): void {
  if (phase.type === 'absent') return
  ledger.measure(phase.holder, measured)
  seen.set(phase.placement.key, largest(seen.get(phase.placement.key) ?? {}, measured))
}

export function exited(state: State, model: Model, { cause, reason }: Of<'exited'>): void {
  const { phase } = model
  if (phase.type === 'absent') return
  state.ledger.end(phase.holder, state.nowMs)
  state.isReadingStale = state.readingAskedMs !== undefined
  model.phase = { type: 'absent' }
  if (model.admitted.size > 0) model.lastUsedMs = state.nowMs
  const isExplained = [...model.admitted.values()].some(({ standing }) => standing === 'suspect')
  for (const request of model.admitted.keys()) state.admitted.delete(request)
  model.admitted.clear()
  if (phase.type === 'starting') {
    afterFailedStart(state, model, phase, { cause: cause === 'oom' ? 'oom' : 'crash', reason })
  } else if (phase.type === 'stopping') {
    if (phase.failure !== undefined) afterFailedStart(state, model, phase, phase.failure)
  } else afterLostProcess(state, model, phase, { cause, reason, isExplained })
}
