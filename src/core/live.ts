/** State of the running server, for its operator. Times are milliseconds UTC. */
import type { ReasonedLayout } from './cache-layout.ts'
import type { LoadTimes } from './load-phases.ts'
import type { PoolId } from './memory.ts'
import type { StepShares, StepTimes } from './step-times.ts'

/** Share of a model's engine in one memory. */
export interface ModelPart {
  readonly model: string
  readonly weightsBytes: number
  readonly cacheBytes: number
  /** Buffers of the computation, and the driver's memory for the process. */
  readonly otherBytes: number
  /** True if the driver or the kernel reports it, false if the engine does. */
  readonly isMeasured: boolean
}

export interface MemoryBar {
  readonly id: PoolId
  readonly totalBytes: number | undefined
  readonly freeBytes: number | undefined
  /** Bytes reserved for models that they have not taken yet. They count as free. */
  readonly reservedBytes: number
  /** Bytes that other programs use. */
  readonly otherBytes: number | undefined
  readonly models: readonly ModelPart[]
}

/** `unknown`: it does not answer at the moment. `lost`: its driver answers and does not name it any more. */
export type DeviceState = 'ok' | 'unknown' | 'lost'

export interface DeviceBar extends MemoryBar {
  readonly name: string
  readonly kind: 'nvidia' | 'amd' | 'unknown'
  readonly state: DeviceState
  /** Time of its figures. Undefined if it never reported any. */
  readonly sampledAtMs: number | undefined
  readonly loadPercent: number | undefined
  readonly temperatureC: number | undefined
  readonly powerW: number | undefined
}

export interface MachinePicture {
  readonly atMs: number
  readonly devices: readonly DeviceBar[]
  /** `serverBytes`: of this server's own process, and of the prompts that wait there for their models. */
  readonly memory: MemoryBar & { readonly serverBytes: number }
  /** Disk of the data folder. */
  readonly disk: { readonly totalBytes: number; readonly freeBytes: number } | undefined
}

/** A failed load, or an end that nobody asked for. */
export interface EngineFailure {
  readonly atMs: number
  readonly reason: string
  /** Last lines that the engine wrote, the oldest first. */
  readonly lines: readonly string[]
}

/** An engine as the operator's pages show it. */
export interface EngineView {
  readonly model: string
  readonly state: 'estimating' | 'starting' | 'ready' | 'draining' | 'stopping' | 'failed' | 'stopped'
  /** Begin of the state. */
  readonly sinceMs: number
  readonly device: string | undefined
  /** Name of the backend that computes; undefined while it is not loaded, and for engines that have no choice. */
  readonly backend: string | undefined
  /** Reason why the model, or a part of it, runs on the CPU where a GPU could be expected. */
  readonly remark: string | undefined
  readonly running: number
  /** 0 where texts of any number of requests are batched; undefined while it is not loaded. */
  readonly parallel: number | undefined
  readonly waiting: number
  readonly outputTokensPerSecond: number
  readonly promptTokensPerSecond: number
  /** Cells of the cache that are in use, where the engine tells. */
  readonly cacheTokens: number | undefined
  /** Tokens that were proposed in answers since it was loaded, and those that were right, where the engine tells. */
  readonly draftedTokens: number | undefined
  readonly acceptedTokens: number | undefined
  /** Time of steps by phase since the load, and its shares during the last second with a step; undefined for upstream models. */
  readonly stepTimes: StepTimes | undefined
  readonly stepShares: StepShares | undefined
  /** Layout of the cache, if there is one. */
  readonly cacheLayout: ReasonedLayout | undefined
  /** Cells of the cache. */
  readonly cacheLimitTokens: number | undefined
  /** Longest prompt and answer of one request. */
  readonly contextTokens: number | undefined
  readonly loadProgress: number | undefined
  /** Kernels are compiled for this machine's card while it is loaded. */
  readonly isCompiling: boolean
  readonly restarts: number
  readonly lastFailure: EngineFailure | undefined
  /** Accurate to the second. Undefined if it is not retried by itself. */
  readonly retryAtMs: number | undefined
  readonly isPinned: boolean
  /** Milliseconds of its last load, by phases. Undefined before the first one. */
  readonly loadTimes: LoadTimes | undefined
}

export interface Rates {
  readonly atMs: number
  readonly outputTokensPerSecond: number
  readonly promptTokensPerSecond: number
  readonly running: number
  readonly waiting: number
  /** Requests of the last 60 seconds that ended by a fault of ours. */
  readonly errorsPerMinute: number
}

export type Severity = 'bad' | 'warn' | 'ok'

export interface Notice {
  readonly code: string
  readonly severity: Exclude<Severity, 'ok'>
  readonly text: string
  /** Page of the operator that says more. */
  readonly link: string
}

/** Summary in one sentence, and notes for the operator, worst first. */
export interface ServerState {
  readonly severity: Severity
  readonly sentence: string
  readonly notices: readonly Notice[]
}
