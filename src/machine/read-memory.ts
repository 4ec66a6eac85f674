/** Total and free memory of every pool of this machine: `host`, and each device with dedicated memory. */
import { readdirSync } from 'node:fs'
import type { PoolId } from '../core/memory.ts'
import { type PoolMemory, readHostMemory } from './host-memory.ts'
import { deviceQuery, type NvidiaSmiOptions, visibleDevices } from './nvidia-smi.ts'

/** Reading of a pool. `unknown`: the pool exists, but nothing may be started in it. */
export type MemoryReading = PoolMemory | 'unknown'
export type MemoryReadings = Readonly<Record<PoolId, MemoryReading>>

/**
 * Memory of the devices in the engines' numbering. `host` for one that uses the machine's. `unknown` if not even their
 * number is known.
 */
export type Devices = readonly (MemoryReading | 'host')[] | 'unknown'

export type ReadMemory = () => Promise<MemoryReadings>

export interface MemoryReaderOptions extends NvidiaSmiOptions {
  /** Reads devices of other makers. Only called without NVIDIA devices, and never again after it found none. */
  readonly otherDevices?: () => Promise<Devices>
  /** Folder where the kernel lists devices that can compute or draw. */
  readonly deviceFolder?: string
}

/**
 * Reads all pools at each call within about 2 seconds, or 12 if a driver hangs. Concurrent callers share a reading.
 * `environment`: variables of engine processes, which decide on the devices that they see. A device seen once stays in
 * later readings.
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

/** Returns readings of the devices. Assumes at least one if their number is unknown, because a driver exists. */
export function devicePools(devices: Devices, before: MemoryReadings): MemoryReadings {
  const lost = Object.keys(before).filter((pool) => pool !== 'host')
  const unknown = (pools: readonly PoolId[]) => pools.map((pool): [PoolId, MemoryReading] => [pool, 'unknown'])
  if (devices === 'unknown') return Object.fromEntries(unknown(lost.length === 0 ? ['gpu0'] : lost))
  const seen = devices.flatMap((memory, index): [PoolId, MemoryReading][] =>
    memory === 'host' ? [] : [[`gpu${index}`, memory]],
  )
  return Object.fromEntries([...unknown(lost), ...seen])
}

/** Returns whether a device can compute. Graphics cards without a renderer, as in server consoles, cannot. */
function hasRenderers(folder: string): boolean {
  try {
    return readdirSync(folder).some((name) => name.startsWith('renderD'))
  } catch {
    return false
  }
}
