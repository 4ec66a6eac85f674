/** Reason why a model does not fit: its need, the room, and the holders. */
import type { Placement, PoolId } from '../core/memory.ts'
import type { Shortage } from './effects.ts'
import { bytesOf, poolsOf } from './memory-bytes.ts'
import { type Model, needOf } from './model.ts'
import { emptyRoomBytes, roomBytes } from './pool.ts'
import type { State } from './state.ts'

/** Returns the shortage of the placement that lacks the fewest bytes. */
export function shortageOf(state: State, model: Model): Shortage {
  const placements: readonly Placement[] = typeof model.estimate === 'string' ? [] : model.estimate
  const shortages = placements.flatMap((placement) => {
    const need = needOf(model, placement)
    const [worst] = poolsOf(need)
      .map((pool) => inPool(state, pool, bytesOf(need, pool)))
      .sort((a, b) => lackIn(b) - lackIn(a))
    return worst === undefined ? [] : [worst]
  })
  const [least] = shortages.sort((a, b) => lackIn(a) - lackIn(b))
  return least ?? { pool: 'host', needBytes: 0, roomBytes: 0, foreignBytes: 0, holders: [] }
}

function inPool({ ledger, models }: State, id: PoolId, needBytes: number): Shortage {
  const pool = ledger.pools.get(id)
  const holders = ledger.holders
    .filter(({ model, reserved }) => models.get(model)?.isPinned && bytesOf(reserved, id) > 0)
    .map(({ model, reserved }) => ({ model, bytes: bytesOf(reserved, id) }))
    .sort((a, b) => b.bytes - a.bytes)
  const room = (pool && roomBytes(pool)) ?? 0
  // With a limit, other programs reduce the room only once they use more than the memory beyond it.
  const isLessened = pool !== undefined && room < (emptyRoomBytes(pool) ?? 0)
  return { pool: id, needBytes, roomBytes: room, foreignBytes: isLessened ? pool.foreignBytes : 0, holders }
}

function lackIn({ needBytes, roomBytes, holders }: Shortage): number {
  return holders.reduce((lack, { bytes }) => lack + bytes, needBytes - roomBytes)
}
