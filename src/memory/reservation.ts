/** Memory reserved for a model, from estimates and measurements. Pure; sizes are bytes by pool. */
import type { MemoryBytes, PoolId } from '../core/memory.ts'
import type { MemoryReadings } from '../machine/read-memory.ts'

/** Measurements of earlier loads. Empty if there were none. */
export interface RecalledMemory {
  /** Highest use of this model with these settings in this placement. */
  readonly peakBytes: MemoryBytes
  /** Largest excess over the estimate among all models of this backend. */
  readonly overheadBytes: MemoryBytes
}

/**
 * Largest overhead that is applied to other models. A larger one comes from a wrong estimate of one model, which this
 * model's own peak corrects.
 */
const overheadLimitBytes = 2 ** 31

/**
 * Returns the reservation for the next load: the estimate plus the backend's known overhead, at least the measured
 * peak. It only grows.
 */
export function reservationBytes(estimate: MemoryBytes, { peakBytes, overheadBytes }: RecalledMemory): MemoryBytes {
  const expected = mapPools(estimate, (bytes, pool) => bytes + Math.min(overheadBytes[pool] ?? 0, overheadLimitBytes))
  return maximumOf(expected, peakBytes)
}

/** Returns the measured excess over the estimate. */
export function overheadBytes(estimate: MemoryBytes, measured: MemoryBytes): MemoryBytes {
  return mapPools(measured, (bytes, pool) => Math.max(0, bytes - (estimate[pool] ?? 0)))
}

/**
 * Returns the device memory that a load took: the drop of free memory, which is right if nothing else was loaded or
 * ended meanwhile. Leaves out devices that were unknown before or after, and the host, whose processes are measured
 * themselves.
 */
export function takenFromDevices(before: MemoryReadings, after: MemoryReadings): MemoryBytes {
  const drops = Object.entries(after).flatMap(([pool, now]) => {
    const earlier = before[pool]
    if (pool === 'host' || now === 'unknown' || earlier === undefined || earlier === 'unknown') return []
    return [[pool, Math.max(0, earlier.freeBytes - now.freeBytes)]]
  })
  return Object.fromEntries(drops)
}

/** Returns the larger value of each pool. */
export function maximumOf(first: MemoryBytes, second: MemoryBytes): MemoryBytes {
  return { ...first, ...mapPools(second, (bytes, pool) => Math.max(bytes, first[pool] ?? 0)) }
}

function mapPools(bytes: MemoryBytes, change: (bytes: number, pool: PoolId) => number): MemoryBytes {
  return Object.fromEntries(Object.entries(bytes).map(([pool, each]) => [pool, change(each, pool)]))
}
