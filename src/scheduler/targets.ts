/** Placements in which a model may be started. */
import type { Placement } from '../core/memory.ts'
import type { Ledger } from './ledger.ts'
import { bytesOf, poolsOf, totalBytes } from './memory-bytes.ts'
import { type Model, needOf } from './model.ts'
import { emptyRoomBytes, isLost } from './pool.ts'

export interface Target {
  readonly placement: Placement
  /** Models that may be evicted for it: none, those without device memory, or any. */
  readonly evicts: 'none' | 'host-only' | 'any'
}

/** Size up to which a model that can run on the CPU too takes device memory only if it is free. */
const smallBytes = 1.5e9

/**
 * Returns the fastest placements that would fit without other models, in order. A slower one is never used only because
 * other models are loaded: it is several times slower, and would look like a fault. Undefined while the amount of
 * memory is unknown.
 */
export function targetsOf(model: Model, ledger: Ledger): readonly Target[] | undefined {
  if (typeof model.estimate === 'string') return undefined
  const possible: { readonly placement: Placement; readonly rank: number }[] = []
  for (const [index, placement] of model.estimate.entries()) {
    const fits = fitsEmptyBox(model, placement, ledger)
    if (fits === undefined) return undefined
    if (fits && !model.troubles.exhausted.has(placement.key)) {
      possible.push({ placement, rank: placement.rank ?? index })
    }
  }
  const best = possible[0]
  if (best === undefined) return isSomethingLost(ledger) ? undefined : []
  const onHost = possible.find(({ placement }) => isOnHost(placement))
  if (onHost !== undefined && onHost !== best && totalBytes(needOf(model, best.placement)) <= smallBytes) {
    const faster = possible.slice(0, possible.indexOf(onHost))
    return [
      ...faster.map(({ placement }): Target => ({ placement, evicts: 'none' })),
      { placement: onHost.placement, evicts: 'host-only' },
    ]
  }
  return possible.filter(({ rank }) => rank === best.rank).map(({ placement }) => ({ placement, evicts: 'any' }))
}

function fitsEmptyBox(model: Model, placement: Placement, { pools }: Ledger): boolean | undefined {
  const need = needOf(model, placement)
  // A reading names all pools, so once all are read this machine has no others.
  const roomOfAbsent =
    pools.size > 0 && [...pools.values()].every(({ reading }) => reading !== undefined) ? 0 : undefined
  let fits: boolean | undefined = true
  for (const id of poolsOf(need)) {
    const pool = pools.get(id)
    const room = pool === undefined ? roomOfAbsent : emptyRoomBytes(pool)
    if (room === undefined) fits = undefined
    else if (bytesOf(need, id) > room) return false
  }
  return fits
}

/** Returns whether a pool is lost. An unreadable device does not prove that the model is too large. */
function isSomethingLost({ pools }: Ledger): boolean {
  return [...pools.values()].some(isLost)
}

function isOnHost({ needBytes }: Placement): boolean {
  return poolsOf(needBytes).every((pool) => pool === 'host')
}
