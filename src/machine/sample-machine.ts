/** Sample of this machine: devices, memory, processes and the disk. */
import { statfs } from 'node:fs/promises'
import { readAmdFigures } from './amd-figures.ts'
import type { DeviceSample } from './device-figures.ts'
import { type PoolMemory, readHostMemory } from './host-memory.ts'
import { nvidiaSampler } from './nvidia-figures.ts'
import { type ProcessMemory, readProcessMemory } from './process-memory.ts'

interface DiskRoom {
  readonly totalBytes: number
  readonly freeBytes: number
}

export interface MachineSample {
  readonly devices: DeviceSample
  /** Host memory. Undefined if the kernel does not report it. */
  readonly host: PoolMemory | undefined
  /** Memory of the requested processes that still run. */
  readonly processes: ReadonlyMap<number, ProcessMemory>
  /** Memory of this process alone, without its children. */
  readonly ownBytes: number
  /** Space on the data folder's disk. */
  readonly disk: DiskRoom | undefined
}

/** Samples the machine and these processes within about 3 seconds. */
export type SampleMachine = (pids: readonly number[]) => Promise<MachineSample>

interface MachineSamplerOptions {
  /** Variables of engine processes, which decide on the devices that they see. */
  readonly environment: Readonly<Record<string, string>>
  readonly dataDir: string
}

export function machineSampler({ environment, dataDir }: MachineSamplerOptions): SampleMachine {
  const askNvidia = nvidiaSampler({ environment })
  return async (pids) => {
    const nvidia = await askNvidia()
    return {
      devices: nvidia === 'unknown' || nvidia.length > 0 ? nvidia : readAmdFigures(),
      host: readHostMemory(),
      processes: pids.length === 0 ? new Map() : readProcessMemory(pids),
      ownBytes: process.memoryUsage.rss(),
      disk: await diskRoom(dataDir),
    }
  }
}

/** Returns the room on a folder's disk; undefined if the folder is gone. */
export async function diskRoom(folder: string): Promise<DiskRoom | undefined> {
  try {
    const { bsize, blocks, bavail } = await statfs(folder)
    return { totalBytes: bsize * blocks, freeBytes: bsize * bavail }
  } catch {
    return undefined // the folder is gone, which other checks tell
  }
}
