import type { PoolId } from '../core/memory.ts'

/** What a device tells of itself now; undefined what its driver does not tell. */
export interface DeviceFigures {
  /** As engines number the devices that they see: `gpu0`. */
  readonly id: PoolId
  /** Names the device itself, whatever its number. */
  readonly uuid: string
  readonly name: string
  readonly kind: 'nvidia' | 'amd'
  readonly totalBytes: number | undefined
  readonly freeBytes: number | undefined
  readonly loadPercent: number | undefined
  readonly temperatureC: number | undefined
  readonly powerW: number | undefined
  /** Memory by process id, where the driver tells processes apart. */
  readonly processBytes: ReadonlyMap<number, number>
}

/** Those that answer now; `unknown`: the driver fails or hangs, so nothing can be said. */
export type DeviceSample = readonly DeviceFigures[] | 'unknown'
