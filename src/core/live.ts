/** State of the running server, for its operator. Times are milliseconds UTC. */
import type { PoolId } from './memory.ts'

/** Part of one memory that a model's engine takes. */
export interface ModelPart {
  readonly model: string
  readonly weightsBytes: number
  readonly cacheBytes: number
  /** Bytes of compute buffers and of the driver for the process. */
  readonly otherBytes: number
  /** True if the driver or the kernel reports the sizes, false if the engine does. */
  readonly isMeasured: boolean
}

export interface MemoryBar {
  readonly id: PoolId
  readonly totalBytes: number | undefined
  readonly freeBytes: number | undefined
  /** Bytes that are reserved for models and not taken yet. They count as free. */
  readonly reservedBytes: number
  /** Bytes that other programs use. */
  readonly otherBytes: number | undefined
  readonly models: readonly ModelPart[]
}

/** `unknown`: the device does not answer at the moment. `lost`: its driver answers, and no longer names it. */
type DeviceState = 'ok' | 'unknown' | 'lost'

export interface DeviceBar extends MemoryBar {
  readonly name: string
  readonly kind: 'nvidia' | 'amd' | 'unknown'
  readonly state: DeviceState
  /** Time of the device's figures. Undefined if it never reported any. */
  readonly sampledAtMs: number | undefined
  readonly loadPercent: number | undefined
  readonly temperatureC: number | undefined
  readonly powerW: number | undefined
}

export interface MachinePicture {
  readonly atMs: number
  readonly devices: readonly DeviceBar[]
  /** `serverBytes`: memory of this server's own process, and of prompts that wait there for their models. */
  readonly memory: MemoryBar & { readonly serverBytes: number }
  /** Disk of the data folder. */
  readonly disk: { readonly totalBytes: number; readonly freeBytes: number } | undefined
}

export interface Rates {
  readonly atMs: number
  readonly outputTokensPerSecond: number
  readonly promptTokensPerSecond: number
  readonly running: number
  readonly waiting: number
  /** Requests of the last 60 seconds that failed by our own fault. */
  readonly errorsPerMinute: number
}

export type Severity = 'bad' | 'warn' | 'ok'

export interface Notice {
  readonly code: string
  readonly severity: Exclude<Severity, 'ok'>
  readonly text: string
  /** Page of the operator with the details. */
  readonly link: string
}

/** Summary in one sentence, and notes for the operator, worst first. */
export interface ServerState {
  readonly severity: Severity
  readonly sentence: string
  readonly notices: readonly Notice[]
}
