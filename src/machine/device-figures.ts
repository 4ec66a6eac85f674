import type { PoolId } from '../core/memory.ts'

/** Current figures of a device. Undefined if its driver does not report them. */
export interface DeviceFigures {
  /** Id by the engines' numbering of visible devices: `gpu0`. */
  readonly id: PoolId
  /** Id of the device, independent of its number. */
  readonly uuid: string
  readonly name: string
  readonly kind: 'nvidia' | 'amd'
  readonly totalBytes: number | undefined
  readonly freeBytes: number | undefined
  readonly loadPercent: number | undefined
  readonly temperatureC: number | undefined
  readonly powerW: number | undefined
  /** Memory by process id. Empty if the driver does not tell processes apart. */
  readonly processBytes: ReadonlyMap<number, number>
}

/** Devices that answer. `unknown` means that the driver fails or hangs. */
export type DeviceSample = readonly DeviceFigures[] | 'unknown'
