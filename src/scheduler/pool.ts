/** One memory that models share: how much of it there is, and what of it models may use. */
import type { PoolId } from '../core/memory.ts'
import type { PoolSettings } from './settings.ts'

export interface Pool {
  readonly id: PoolId
  settings: PoolSettings
  /** By the last reading that succeeded. */
  totalBytes: number
  /** Undefined while the pool cannot be read. */
  reading: { readonly freeBytes: number; readonly atMs: number } | undefined
  /** Readings that failed since the last one that did not. */
  misses: number
  /** Use by other programs. Only a reading while no process starts or ends tells it. */
  foreignBytes: number
}

const MiB = 1024 ** 2
/** After so many readings that failed the pool counts as lost: models go elsewhere where they can. */
const missesToLose = 3

export function newPool(id: PoolId, settings: PoolSettings): Pool {
  return { id, settings, totalBytes: 0, reading: undefined, misses: 0, foreignBytes: 0 }
}

/** What stays free for others. */
export function keptBytes({ id, settings, totalBytes }: Pool): number {
  if (settings.keepBytes !== undefined) return settings.keepBytes
  return id === 'host'
    ? Math.max(2048 * MiB, Math.ceil(totalBytes * 0.1))
    : Math.max(512 * MiB, Math.ceil(totalBytes * 0.03))
}

export function isLost({ misses }: Pool): boolean {
  return misses >= missesToLose
}

/** What models may use where no other program uses any. Undefined before the first reading; 0 for a pool that is lost. */
export function emptyRoomBytes(pool: Pool): number | undefined {
  if (isLost(pool)) return 0
  if (pool.totalBytes === 0) return pool.reading === undefined ? undefined : 0
  return Math.max(0, Math.min(pool.settings.limitBytes ?? Number.POSITIVE_INFINITY, pool.totalBytes - keptBytes(pool)))
}

/** What models may use now. Undefined while the pool cannot be read. */
export function roomBytes(pool: Pool): number | undefined {
  if (pool.reading === undefined) return undefined
  const { limitBytes = Number.POSITIVE_INFINITY } = pool.settings
  return Math.max(0, Math.min(limitBytes, pool.totalBytes - keptBytes(pool) - pool.foreignBytes))
}

/** How much more models hold than there is. Then idle ones go; what is kept back is only for new ones. */
export function excessBytes(pool: Pool, reservedBytes: number): number {
  const { limitBytes = Number.POSITIVE_INFINITY } = pool.settings
  return pool.reading === undefined
    ? 0
    : Math.max(0, reservedBytes - Math.min(limitBytes, pool.totalBytes - pool.foreignBytes))
}

/** `ownBytes`: what processes of ours use. */
export function foreignUse({ totalBytes, reading }: Pool, ownBytes: number): number {
  return Math.max(0, totalBytes - (reading?.freeBytes ?? totalBytes) - ownBytes)
}
