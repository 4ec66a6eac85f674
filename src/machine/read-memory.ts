/** Total and free memory of every pool of this machine: `host`, and each device that has memory of its own. */
import { readdirSync } from 'node:fs'
import type { PoolId } from '../core/memory.ts'
import { type PoolMemory, readHostMemory } from './host-memory.ts'
import { deviceQuery, type NvidiaSmiOptions, visibleDevices } from './nvidia-smi.ts'

/** `unknown` is not the same as full or absent: the pool is there, and nothing may be started in it. */
export type MemoryReading = PoolMemory | 'unknown'
export type MemoryReadings = Readonly<Record<PoolId, MemoryReading>>

/**
 * Memory of the devices as engines number them; `host`: one that uses the machine's. `unknown`: nothing can be said, not even
 * how many there are.
 */
export type Devices = readonly (MemoryReading | 'host')[] | 'unknown'

export type ReadMemory = () => Promise<MemoryReadings>

export interface MemoryReaderOptions extends NvidiaSmiOptions {
  /** Devices of other makers. Asked where there is none of NVIDIA's, and not again once there was none. */
  readonly otherDevices?: () => Promise<Devices>
  /** Folder where the kernel shows what can compute or draw. */
  readonly deviceFolder?: string
}

/**
 * Reads all pools, each time it is called, within about 2 seconds, where a driver hangs 12; callers at the same time share a
 * reading. `environment` is what engine processes get of ours: it says which devices they see. A device that was there once
 * stays in the readings.
 */
export function memoryReader(options: MemoryReaderOptions): ReadMemory {
  const { otherDevices, deviceFolder = '/dev/dri' } = options
  let known: MemoryReadings = {}
  let running: Promise<MemoryReadings> | undefined
  let mayHaveOthers = otherDevices !== undefined
  const queryDevices = deviceQuery(options)
  const readDevices = async (): Promise<Devices> => {
    const nvidia = await queryDevices()
    if (nvidia === 'unknown') return 'unknown'
    if (nvidia.length > 0) {
      return visibleDevices(nvidia, options.environment.CUDA_VISIBLE_DEVICES).map(({ memory }) => memory)
    }
    if (otherDevices === undefined || !mayHaveOthers || !hasRenderers(deviceFolder)) return []
    const others = await otherDevices()
    mayHaveOthers = others.length > 0
    return others
  }
  const read = async () => {
    known = { host: readHostMemory() ?? 'unknown', ...devicePools(await readDevices(), known) }
    return known
  }
  return () => {
    running ??= read().finally(() => {
      running = undefined
    })
    return running
  }
}

/** Where nothing is known of any device, there is one at least: something is there to be asked. */
export function devicePools(devices: Devices, before: MemoryReadings): MemoryReadings {
  const lost = Object.keys(before).filter((pool) => pool !== 'host')
  const unknown = (pools: readonly PoolId[]) => pools.map((pool): [PoolId, MemoryReading] => [pool, 'unknown'])
  if (devices === 'unknown') return Object.fromEntries(unknown(lost.length === 0 ? ['gpu0'] : lost))
  const seen = devices.flatMap((memory, index): [PoolId, MemoryReading][] =>
    memory === 'host' ? [] : [[`gpu${index}`, memory]],
  )
  return Object.fromEntries([...unknown(lost), ...seen])
}

/** A graphics card without one, as of a server's console, computes nothing. */
function hasRenderers(folder: string): boolean {
  try {
    return readdirSync(folder).some((name) => name.startsWith('renderD'))
  } catch {
    return false
  }
}
