/** How much memory a model is given, from what was estimated and what was measured. Pure; sizes are bytes by pool. */
import type { MemoryBytes, PoolId } from '../core/memory.ts'
import type { MemoryReadings } from '../machine/read-memory.ts'

/** What earlier loads told. Empty where there were none. */
export interface RecalledMemory {
  /** The highest that this model had with these settings, in this placement. */
  readonly peakBytes: MemoryBytes
  /** The highest that any model of this backend had above its estimate. */
  readonly overheadBytes: MemoryBytes
}

/** A larger overhead comes of one model's wrong estimate, which its own peak corrects. It must not be added to all others. */
const overheadLimitBytes = 2 ** 31

/**
 * What the next load reserves: the estimate with the known overhead of its backend, and at least the highest that was measured.
 * It only grows.
 */
export function reservationBytes(estimate: MemoryBytes, { peakBytes, overheadBytes }: RecalledMemory): MemoryBytes {
  const expected = mapPools(estimate, (bytes, pool) => bytes + Math.min(overheadBytes[pool] ?? 0, overheadLimitBytes))
  return maximumOf(expected, peakBytes)
}

/** What was measured above the estimate. */
export function overheadBytes(estimate: MemoryBytes, measured: MemoryBytes): MemoryBytes {
  return mapPools(measured, (bytes, pool) => Math.max(0, bytes - (estimate[pool] ?? 0)))
}

/**
 * What a load took of each device: the drop of its free memory, when nothing else was loaded or ended meanwhile. A device that
 * was unknown before or after is left out, and so is the host, whose processes are measured themselves.
 */
export function takenFromDevices(before: MemoryReadings, after: MemoryReadings): MemoryBytes {
  const drops = Object.entries(after).flatMap(([pool, now]) => {
    const earlier = before[pool]
    if (pool === 'host' || now === 'unknown' || earlier === undefined || earlier === 'unknown') return []
    return [[pool, Math.max(0, earlier.freeBytes - now.freeBytes)]]
  })
  return Object.fromEntries(drops)
}

/** Of each pool the larger one. */
export function maximumOf(first: MemoryBytes, second: MemoryBytes): MemoryBytes {
  return { ...first, ...mapPools(second, (bytes, pool) => Math.max(bytes, first[pool] ?? 0)) }
}

function mapPools(bytes: MemoryBytes, change: (bytes: number, pool: PoolId) => number): MemoryBytes {
  return Object.fromEntries(Object.entries(bytes).map(([pool, each]) => [pool, change(each, pool)]))
}
