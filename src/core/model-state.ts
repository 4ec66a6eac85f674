/**
 * State of a model's engine while the server runs. Lists, pages, commands, metrics and notices show projections of it.
 * Durations are milliseconds.
 */
import type { ReasonedLayout } from './cache-layout.ts'
import type { LoadTimes } from './load-phases.ts'
import type { MemoryBreakdown, MemoryBytes } from './memory.ts'
import type { StepShares, StepTimes } from './step-times.ts'

export type ModelState = EngineFacts &
  (
    | ({ readonly state: 'stopped' | 'estimating' } & None<Failed & Held & Loading & Loaded>)
    | ({ readonly state: 'failed' } & Failed & None<Held & Loading & Loaded>)
    | ({ readonly state: 'starting' } & Held & Loading & None<Failed & Loaded>)
    /** `draining` models take no more requests and stop after those that they have. */
    | ({ readonly state: 'ready' | 'draining' } & Held & Loaded & None<Failed & Loading>)
    | ({ readonly state: 'stopping' } & Failed & Held & (Loaded | None<Loaded>) & None<Loading>)
  )

type None<Facts> = { readonly [Name in keyof Facts]: undefined }

/** Facts of an engine in every state. */
interface EngineFacts {
  readonly modelId: string
  /** Starts after the first one. */
  readonly restarts: number
  /** Reason of the process's last unrequested end. */
  readonly lastExit: string | undefined
  /** Reason of the last failed load. Undefined if it succeeded, or was not tried. */
  readonly failedLoad: string | undefined
  readonly failedLoadCode: LoadFailure | undefined
  /** The later of `lastExit` and `failedLoad`, with the engine's output before it. */
  readonly lastFailure: EngineFailure | undefined
  readonly running: number
  readonly waiting: number
  /** 0 if nothing waits. */
  readonly longestWaitMs: number
  readonly isPinned: boolean
  /** True while a load compiles kernels for this machine's card, which takes minutes, once. */
  readonly isCompiling: boolean
  readonly estimatedBytes: MemoryBytes | undefined
  /** Empty without a process. */
  readonly reservedBytes: MemoryBytes
  /** Memory of the host for prompts that wait for its next load; any model that needs it gets it. */
  readonly promptBytes: number
  readonly loads: number
  /** Phases of the last load. Undefined before the first one. */
  readonly loadTimes: LoadTimes | undefined
  /** Number of stops by the scheduler, by reason. */
  readonly stops: Readonly<Record<string, number>>
}

interface Failed {
  /** Time until the next automatic try. Undefined if it is not retried. */
  readonly retryInMs: number | undefined
}

/** Facts of an engine that has a process, or runs in this server. */
interface Held {
  /** Undefined for an engine in this server. */
  readonly pid: number | undefined
  /** Label of the place where it is, or will be, held: `gpu0`, `CPU`. */
  readonly placement: string
  /** Undefined until it was measured. */
  readonly usedBytes: MemoryBytes | undefined
  /** Time until its unload for being idle, if no request comes. Undefined if there is none. */
  readonly unloadsInMs: number | undefined
}

interface Loading {
  /** Share of the model that has been read, 0 to 1. Undefined if unknown. */
  readonly loadedFraction: number | undefined
  /** Time since the load began. */
  readonly loadingMs: number
}

interface Loaded {
  readonly info: EngineInfo
  /** Name of the backend that it computes with. Undefined for engines that have no choice. */
  readonly backend: string | undefined
}

/** A failed load, or an end that nobody asked for. */
export interface EngineFailure {
  /** Milliseconds UTC. */
  readonly atMs: number
  readonly reason: string
  /** Last lines that the engine wrote, the oldest first. */
  readonly lines: readonly string[]
}

/**
 * Failure of a load. `out-of-memory` may succeed with a smaller need or more memory. `bad-model` stays until its files
 * change.
 */
export type LoadFailure = 'out-of-memory' | 'bad-model' | 'other'

/** Facts that an engine reports of the model that it has loaded. */
export interface EngineInfo {
  /** Device that the model really runs on: `cpu`, `vulkan`, `cuda`. */
  readonly device: string
  /** The library's name of its provider, if it has several: `CPUExecutionProvider`, `CUDAExecutionProvider`. */
  readonly provider?: string
  /** Reason why the model, or a part of it, runs on the CPU where a GPU could be expected. */
  readonly remark?: string | undefined
  /** CPU threads that it computes with while no other engine is busy; absent if it computes on devices alone. */
  readonly threads?: number | undefined
  /** Human-readable line: model kind, size, threads, device name. */
  readonly description: string
  /** Longest prompt + answer one request may have. */
  readonly contextTokens: number
  /** Requests that are decoded side by side; 0 where texts of any number of requests are batched. */
  readonly parallel: number
  /** Bytes that the libraries have allocated for the model, where they tell. The process itself comes on top. */
  readonly memory?: MemoryBreakdown
  /** Latest reported layout of the KV cache. Absent if there is none. */
  readonly cacheLayout?: ReasonedLayout
  /** Tokens that the KV cache has room for; absent if there is none. */
  readonly cacheLimitTokens?: number
}

/** State of a model with its work, as it is watched each second. */
export type WatchedModel = ModelState & ModelWork

export interface ModelWork {
  /** Begin of the state, milliseconds UTC. */
  readonly sinceMs: number
  /** Time of the next automatic try, milliseconds UTC, accurate to the second. Undefined if there is none. */
  readonly retryAtMs: number | undefined
  readonly outputTokensPerSecond: number
  readonly promptTokensPerSecond: number
  /** Cells of the cache that are in use, where the engine reports them. */
  readonly cacheTokens: number | undefined
  /** Tokens that were proposed in answers since it was loaded, and those that were right, where the engine reports them. */
  readonly draftedTokens: number | undefined
  readonly acceptedTokens: number | undefined
  /** Time of steps by phase since the load. Undefined for upstream models. */
  readonly stepTimes: StepTimes | undefined
  /** Shares of the phases during the last second with a step. */
  readonly stepShares: StepShares | undefined
}

/**
 * State of a model's files. `ready`: servable now; `available`: in the catalog, files not on this disk; `downloading`: the
 * same, and a pull runs; `broken`: files are here but unusable.
 */
export type FilesState =
  | { readonly kind: 'ready' }
  | { readonly kind: 'available' }
  | { readonly kind: 'downloading'; readonly doneBytes: number; readonly totalBytes: number }
  | { readonly kind: 'broken'; readonly reason: string }
