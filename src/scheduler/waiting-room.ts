/** Places of requests that no engine has begun: in the scheduler's queue, or in the model's process. */
import { type KindOfWork, kindsOfWork, type WorkKind } from '../core/work.ts'
import type { Model } from './model.ts'

export interface WaitingRequest {
  readonly account: string
  readonly kind: WorkKind
}

/** Number of places by kind of work. No kind takes places of another. */
const places: Readonly<Record<KindOfWork['waiting'], (maxWaiting: number) => number>> = {
  places: (maxWaiting) => maxWaiting,
  'few-places': (maxWaiting) => Math.ceil(maxWaiting / 8),
  'by-engine': () => Number.POSITIVE_INFINITY,
}

/**
 * Returns whether one more request may wait. An account has at most as many places as are left free: alone half of
 * them, and fewer the more others wait. An account with nothing waiting is always admitted.
 */
export function hasRoom(request: WaitingRequest, waiting: Iterable<WaitingRequest>, maxWaiting: number): boolean {
  let free = places[kindsOfWork[request.kind].waiting](maxWaiting)
  let own = 0
  for (const { kind, account } of waiting) {
    if (kind !== request.kind) continue
    free -= 1
    if (account === request.account) own += 1
  }
  return own === 0 || (free > 0 && own <= free)
}

/** Yields the model's requests that no engine has begun. */
export function* waitingFor({ queue, admitted }: Pick<Model, 'queue' | 'admitted'>): Generator<WaitingRequest> {
  yield* queue
  for (const each of admitted.values()) if (!each.hasBegun) yield each
}
