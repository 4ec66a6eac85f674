/** Commands of the operator: settings, pins, unloading, and the server's stop. */

import type { EventOf } from './events.ts'
import { type Model, newModel, noTroubles } from './model.ts'
import { closing, rejection, rejectWaiting } from './reject.ts'
import type { ModelSettings } from './settings.ts'
import { drain, type State, stopProcess } from './state.ts'

const removed = rejection('model_unavailable', 60_000, { reason: 'the model was removed' })

export function configure(state: State, { settings }: EventOf<'configured'>): void {
  state.ledger.configure(settings.pools)
  const listed = new Set(settings.models.map(({ id }) => id))
  for (const each of settings.models) {
    const model = state.models.get(each.id)
    if (model === undefined) state.models.set(each.id, newModel(each, state.nowMs))
    else change(state, model, each)
  }
  for (const model of state.models.values()) {
    if (listed.has(model.id)) continue
    model.isRemoved = true
    model.isPinned = false
    model.wish = 'none'
    rejectWaiting(state, model, removed)
    drain(state, model, 'unload')
  }
}

function change(state: State, model: Model, settings: ModelSettings): void {
  const isOther = settings.revision !== model.settings.revision
  if (settings.preload && !model.settings.preload && model.phase.type === 'absent') model.wish = 'where-free'
  model.settings = settings
  model.isRemoved = false
  pin(state, model, settings.pinned)
  if (!isOther) return
  model.estimate = 'unknown'
  model.seen.clear()
  model.troubles = noTroubles()
  // A running start loads the outdated model.
  if (model.phase.type === 'starting') stopProcess(state, model, { how: 'now', why: 'changed' })
  if (model.phase.type !== 'ready' || settings.overlaps !== true) return
  stopProcess(state, model, { how: 'retire', why: 'changed' })
  model.wish = 'where-free'
}

function pin(state: State, model: Model, isPinned: boolean): void {
  if (isPinned && !model.isPinned) model.pinnedSinceMs = state.nowMs
  model.isPinned = isPinned
}

export function unload(state: State, model: Model): void {
  model.isPinned = false
  model.wish = 'none'
  // Nobody waits for the model, so its failure is no longer relevant. The count of failures stays.
  model.troubles.failed = undefined
  drain(state, model, 'unload')
}

export function stopAll(state: State): void {
  state.isClosing = true
  for (const model of state.models.values()) {
    rejectWaiting(state, model, closing)
    stopProcess(state, model, { how: 'graceful', why: 'unload' })
  }
}
