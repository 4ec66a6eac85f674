/** Total and free memory of every pool of this machine: `host`, and each device that has memory of its own. */
import type { PoolId } from '../core/memory.ts'
import { type PoolMemory, readHostMemory } from './host-memory.ts'

export type MemoryReading = PoolMemory | 'unknown'
export type MemoryReadings = Readonly<Record<PoolId, MemoryReading>>

/**
 * Reads all pools, within about 2 seconds. A device that does not answer is `unknown`, which is not the same as full or
 * absent. Callers at the same time share one reading.
 */
export type ReadMemory = () => Promise<MemoryReadings>

/** `environment`: what engine processes get of ours; it says which devices they see. */
export function memoryReader(_environment: Readonly<Record<string, string>>): ReadMemory {
  return async () => ({ host: readHostMemory() ?? 'unknown' })
}
