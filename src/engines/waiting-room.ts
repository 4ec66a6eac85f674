/** Decides which requests may wait for an engine. Pure. */
import { type KindOfWork, kindsOfWork, type WorkKind } from '../core/work.ts'

export interface WaitingRequest {
  readonly accountId: string
  readonly kind: WorkKind
  /** True if an engine may have ended because of it. */
  readonly isSuspect?: boolean
}

/** Places for one kind of work; none of them is ever taken by another kind. */
const places: Readonly<Record<KindOfWork['waiting'], (maxWaiting: number) => number>> = {
  places: (maxWaiting) => maxWaiting,
  'few-places': (maxWaiting) => Math.ceil(maxWaiting / 8),
  'by-engine': () => Number.POSITIVE_INFINITY,
}

/**
 * Returns whether one more request may wait: an account has at most as many places as are left free. So alone it may take half of
 * them, and less the more others wait. An account with nothing waiting is always let in.
 */
export function hasRoom(newcomer: WaitingRequest, waiting: readonly WaitingRequest[], maxWaiting: number): boolean {
  const others = waiting.filter(({ kind }) => kind === newcomer.kind)
  const own = others.filter(({ accountId }) => accountId === newcomer.accountId).length
  const free = places[kindsOfWork[newcomer.kind].waiting](maxWaiting) - others.length
  return own === 0 || (free > 0 && own <= free)
}
