/** Who may wait for an engine. Pure. */
import type { EngineWork } from './protocol.ts'

export interface WaitingRequest {
  readonly accountId: string
  readonly type: EngineWork['type']
}

/** Places of each type; a free count never takes that of a chat. How many texts may wait, is the engine's own matter. */
const places: Readonly<Record<WaitingRequest['type'], (maxWaiting: number) => number>> = {
  chat: (maxWaiting) => maxWaiting,
  count: (maxWaiting) => Math.ceil(maxWaiting / 8),
  encode: () => Number.POSITIVE_INFINITY,
}

/**
 * Whether one more request may wait: an account has at most as many places as are left free, so alone it may take half of
 * them, and less the more others wait. An account with nothing waiting is always let in.
 */
export function hasRoom(newcomer: WaitingRequest, waiting: readonly WaitingRequest[], maxWaiting: number): boolean {
  const others = waiting.filter(({ type }) => type === newcomer.type)
  const own = others.filter(({ accountId }) => accountId === newcomer.accountId).length
  const free = places[newcomer.type](maxWaiting) - others.length
  return own === 0 || (free > 0 && own <= free)
}
