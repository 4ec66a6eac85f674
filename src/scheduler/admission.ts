/** Admission of requests to a ready model: as many as it has places, a fair share of them for each account. */
import type { Admitted, Model } from './model.ts'
import { emit, type State } from './state.ts'
import type { QueuedRequest } from './waiting-queue.ts'

/** Accounts with admitted requests, and the standings of these requests. */
interface Inside {
  readonly accounts: Set<string>
  readonly standings: Set<Admitted['standing']>
}

/** Admits as many waiting requests as may enter, in their turns. */
export function admitRequests(state: State, model: Model): void {
  if (model.queue.size === 0) return
  const inside = insideOf(model)
  for (;;) {
    const waiter = model.queue.take((next) => mayEnter(model, next, inside))
    if (waiter === undefined) return
    const { request, account, kind, again } = waiter
    const standing = again === 'suspect' ? again : 'usual'
    inside.accounts.add(account)
    inside.standings.add(standing)
    state.waiting.delete(request)
    state.admitted.set(request, model)
    model.admitted.set(request, { account, kind, hasBegun: false, atMs: state.nowMs, standing })
    emit(state, { type: 'admit', request, model: model.id })
  }
}

/**
 * Returns whether a request may enter: if a place is free, or if its account has no request in the process, since the
 * engine is fair between accounts. Suspects come first, each without other requests but cleared ones: if the process
 * ends again, the cause is known and no other request is lost.
 */
export function mayEnter(
  model: Model,
  { account, again }: Pick<QueuedRequest, 'account' | 'again'>,
  { accounts, standings }: Inside = insideOf(model),
): boolean {
  const { phase, admitted, queue, settings } = model
  const { places } = settings
  if (phase.type !== 'ready' || standings.has('suspect')) return false
  if (again === 'suspect') return admitted.size < places && !standings.has('usual')
  if (queue.suspects > 0) return false
  if (admitted.size < places) return true
  return admitted.size < 2 * places && !accounts.has(account)
}

function insideOf({ admitted }: Model): Inside {
  const inside: Inside = { accounts: new Set(), standings: new Set() }
  for (const { account, standing } of admitted.values()) {
    inside.accounts.add(account)
    inside.standings.add(standing)
  }
  return inside
}
