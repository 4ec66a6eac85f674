/** Tells engine processes their number of threads whenever one becomes busy or idle. */
import { type CpuAllowance, coresOf, defaultThreads } from '../../machine/cpu-allowance.ts'
import type { FromEngine, ToEngine } from '../protocol/messages.ts'
import type { RequestEvent } from '../protocol/request-events.ts'
import type { EngineChild, EngineChildHandlers, EngineSpawn } from './spawn-engine.ts'

/** Child as known from its messages. It is busy while it has requests. */
interface CoreUser {
  readonly requests: Set<number>
  /** Threads that the child would use alone. Undefined before its load, and if it computes elsewhere. */
  wish: number | undefined
  share: number | undefined
  readonly send: EngineChild['send']
}

/**
 * Returns a `spawn` whose children share the cores while they are busy. A child receives its share before the request
 * that makes it busy, and the others receive theirs at the same time. An idle child keeps its last number.
 */
export function sharingCores(spawn: EngineSpawn, allowance: CpuAllowance): EngineSpawn {
  /** Busy children in the order in which they became busy. */
  const busy = new Set<CoreUser>()
  const share = () => {
    const users = [...busy]
    const shares = coreShares(
      users.map(({ wish }) => wish ?? 1),
      allowance,
    )
    for (const [index, user] of users.entries()) {
      const count = shares[index]
      if (count === undefined || count === user.share) continue
      user.share = count
      user.send({ type: 'threads', count })
    }
  }
  const leave = (user: CoreUser) => {
    if (user.requests.size === 0 && busy.delete(user)) share()
  }
  return (kind, handlers, file) => {
    const noting: EngineChildHandlers = {
      ...handlers,
      onMessage: (message) => {
        note(user, message)
        leave(user)
        handlers.onMessage(message)
      },
      onExit: (reason) => {
        user.requests.clear()
        leave(user)
        handlers.onExit(reason)
      },
    }
    const child = spawn(kind, noting, file)
    const user: CoreUser = {
      requests: new Set(),
      wish: undefined,
      share: undefined,
      send: (message) => child.send(message),
    }
    return {
      pid: child.pid,
      kill: (signal) => child.kill(signal),
      send: (message: ToEngine) => {
        if (message.type === 'run') {
          user.requests.add(message.id)
          if (user.wish !== undefined && !busy.has(user)) {
            busy.add(user)
            share()
          }
        }
        child.send(message)
      },
    }
  }
}

function note(user: CoreUser, message: FromEngine): void {
  if (message.type === 'ready') {
    user.wish = message.info.threads
    user.share = message.info.threads
  }
  if (message.type !== 'events') return
  for (const event of message.events) if (isLast(event)) user.requests.delete(event.id)
}

function isLast(item: RequestEvent): boolean {
  return 'error' in item || 'cancelled' in item || ('event' in item && item.event.type === 'finish')
}

/**
 * Returns the CPU threads of engines that are busy at the same time, in order. Threads of one step wait for each
 * other, so an engine whose threads lack cores is many times slower: two engines together get no more threads than one
 * alone. `wishes` are the threads that each engine uses alone, set or by default; no share exceeds them. Each engine
 * gets at least one thread; the rest is distributed evenly, the remainder to the first engines.
 */
export function coreShares(wishes: readonly number[], allowance: CpuAllowance): number[] {
  const largest = Math.max(...wishes)
  if (wishes.length < 2) return [...wishes]
  // An operator's setting above the default raises the limit, at most to the number of cores.
  let left = Math.max(defaultThreads(allowance), Math.min(largest, coresOf(allowance))) - wishes.length
  const shares = wishes.map(() => 1)
  while (left > 0) {
    const before = left
    for (const [index, wish] of wishes.entries()) {
      const share = shares[index] ?? wish
      if (left === 0 || share >= wish) continue
      shares[index] = share + 1
      left--
    }
    if (left === before) break
  }
  return shares
}
