/** Memory shared by models: its size, and the part that models may use. */
import type { PoolId } from '../core/memory.ts'
import type { PoolSettings } from './settings.ts'

export interface Pool {
  readonly id: PoolId
  settings: PoolSettings
  /** Size at the last successful reading. */
  totalBytes: number
  /** Undefined while the pool cannot be read. */
  reading: { readonly freeBytes: number; readonly atMs: number } | undefined
  /** Failed readings since the last successful one. */
  misses: number
  /** Bytes used by other programs. Updated only by readings during which no process starts or ends. */
  foreignBytes: number
}

const MiB = 1024 ** 2
/** Failed readings in a row after which the pool counts as lost: models then use other pools if they can. */
const missesToLose = 3

export function newPool(id: PoolId, settings: PoolSettings): Pool {
  return { id, settings, totalBytes: 0, reading: undefined, misses: 0, foreignBytes: 0 }
}

/** Returns the bytes kept free for other programs. */
export function keptBytes({ id, settings, totalBytes }: Pool): number {
  if (settings.keepBytes !== undefined) return settings.keepBytes
  return id === 'host'
    ? Math.max(2048 * MiB, Math.ceil(totalBytes * 0.1))
    : Math.max(512 * MiB, Math.ceil(totalBytes * 0.03))
}

export function isLost({ misses }: Pool): boolean {
  return misses >= missesToLose
}

/**
 * Returns the bytes that models could use without other programs. Undefined before the first reading; 0 for a lost
 * pool.
 */
export function emptyRoomBytes(pool: Pool): number | undefined {
  if (isLost(pool)) return 0
  if (pool.totalBytes === 0) return pool.reading === undefined ? undefined : 0
  return Math.max(0, Math.min(pool.settings.limitBytes ?? Number.POSITIVE_INFINITY, pool.totalBytes - keptBytes(pool)))
}

/** Returns the bytes that models may use now. Undefined while the pool cannot be read. */
export function roomBytes(pool: Pool): number | undefined {
  if (pool.reading === undefined) return undefined
  const { limitBytes = Number.POSITIVE_INFINITY } = pool.settings
  return Math.max(0, Math.min(limitBytes, pool.totalBytes - keptBytes(pool) - pool.foreignBytes))
}

/**
 * Returns the bytes that models hold beyond the existing memory. Idle ones are then unloaded; the kept reserve applies
 * only to new models.
 */
export function excessBytes(pool: Pool, reservedBytes: number): number {
  const { limitBytes = Number.POSITIVE_INFINITY } = pool.settings
  return pool.reading === undefined
    ? 0
    : Math.max(0, reservedBytes - Math.min(limitBytes, pool.totalBytes - pool.foreignBytes))
}

/** Returns the bytes used by other programs. `ownBytes` are used by our processes. */
export function foreignUse({ totalBytes, reading }: Pool, ownBytes: number): number {
  return Math.max(0, totalBytes - (reading?.freeBytes ?? totalBytes) - ownBytes)
}
