/** Spare memory of a pool, for caches that can be dropped for a model at any time. 0 while the pool cannot be read. */
import type { PoolId } from '../core/memory.ts'
import { bytesOf } from './memory-bytes.ts'
import { isWanted, needOf } from './model.ts'
import { roomBytes } from './pool.ts'
import type { State } from './state.ts'

export interface SpareBytes {
  /** Bytes not held by a model that stays. Ending models do not count. */
  readonly nowBytes: number
  /** Bytes left once all wanted models are loaded too. */
  readonly soonBytes: number
}

export function spareBytes(state: State, id: PoolId): SpareBytes {
  const { ledger } = state
  const pool = ledger.pools.get(id)
  const room = (pool && roomBytes(pool)) ?? 0
  const spare = room - ledger.heldBytes(id)
  return { nowBytes: Math.max(0, spare), soonBytes: Math.max(0, spare - wantedBytes(state, id)) }
}

function wantedBytes({ models }: State, id: PoolId): number {
  let wanted = 0
  for (const model of models.values()) {
    const [best] = typeof model.estimate === 'string' ? [] : model.estimate
    if (best === undefined || !isWanted(model) || model.phase.type !== 'absent') continue
    if (model.troubles.failed === undefined) wanted += bytesOf(needOf(model, best), id)
  }
  return wanted
}
