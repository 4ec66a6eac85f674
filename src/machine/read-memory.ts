/** Total and free memory of every pool of this machine: `host`, and each device that has memory of its own. */
import type { PoolId } from '../core/memory.ts'
import { type PoolMemory, readHostMemory } from './host-memory.ts'
import { type Devices, type NvidiaSmiOptions, queryDevices, visibleDevices } from './nvidia-smi.ts'

/** `unknown` is not the same as full or absent: the pool is there, and nothing may be started in it. */
export type MemoryReading = PoolMemory | 'unknown'
export type MemoryReadings = Readonly<Record<PoolId, MemoryReading>>

export type ReadMemory = () => Promise<MemoryReadings>

/**
 * Reads all pools, each time it is called, within about 2 seconds; callers at the same time share a reading. `environment` is
 * what engine processes get of ours: it says which devices they see. A device that was there once stays in the readings.
 */
export function memoryReader(options: NvidiaSmiOptions): ReadMemory {
  let known: MemoryReadings = {}
  let running: Promise<MemoryReadings> | undefined
  const read = async () => {
    const devices = await queryDevices(options)
    known = { host: readHostMemory() ?? 'unknown', ...devicePools(devices, known, options.environment) }
    return known
  }
  return () => {
    running ??= read().finally(() => {
      running = undefined
    })
    return running
  }
}

/** Devices are numbered as engines see them. Where nothing is known of any, there is one at least: the program is there. */
export function devicePools(
  devices: Devices,
  before: MemoryReadings,
  environment: Readonly<Record<string, string>>,
): MemoryReadings {
  const lost = Object.keys(before).filter((pool) => pool !== 'host')
  const unknown = (pools: readonly PoolId[]) => pools.map((pool): [PoolId, MemoryReading] => [pool, 'unknown'])
  if (devices === 'unknown') return Object.fromEntries(unknown(lost.length === 0 ? ['gpu0'] : lost))
  const visible = visibleDevices(devices, environment.CUDA_VISIBLE_DEVICES)
  const seen = visible.flatMap(({ memory }, index): [PoolId, MemoryReading][] =>
    memory === 'host' ? [] : [[`gpu${index}`, memory]],
  )
  return Object.fromEntries([...unknown(lost), ...seen])
}
