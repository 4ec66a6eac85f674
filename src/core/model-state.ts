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
    /** A `draining` model takes no new requests and stops after its running ones. */
    | ({ readonly state: 'ready' | 'draining' } & Held & Loaded & None<Failed & Loading>)
    | ({ readonly state: 'stopping' } & Failed & Held & (Loaded | None<Loaded>) & None<Loading>)
  )

type None<Facts> = { readonly [Name in keyof Facts]: undefined }

/** Facts of an engine in every state. */
interface EngineFacts {
  readonly modelId: string
  /** Starts of the process after the first one. */
  readonly restarts: number
  /** Reason of the process's last unexpected end. */
  readonly lastExit: string | undefined
  /** Reason why the last load failed. Undefined if it succeeded, or if there was none. */
  readonly failedLoad: string | undefined
  readonly failedLoadCode: LoadFailure | undefined
  /** Later one of `lastExit` and `failedLoad`, with the engine's output before it. */
  readonly lastFailure: EngineFailure | undefined
  readonly running: number
  readonly waiting: number
  /** 0 if nothing waits. */
  readonly longestWaitMs: number
  readonly isPinned: boolean
  /** True while a load compiles kernels for this machine's card, which takes minutes but happens once. */
  readonly isCompiling: boolean
  readonly estimatedBytes: MemoryBytes | undefined
  /** Memory reserved for the engine. Empty without a process. */
  readonly reservedBytes: MemoryBytes
  /** Host memory of prompts that wait for the model's next load. Any model that needs it takes it. */
  readonly promptBytes: number
  readonly loads: number
  /** Phases of the last load. Undefined before the first one. */
  readonly loadTimes: LoadTimes | undefined
  /** Number of stops by the scheduler, by reason. */
  readonly stops: Readonly<Record<string, number>>
}

interface Failed {
  /** Time until the next automatic retry. Undefined if there is none. */
  readonly retryInMs: number | undefined
}

/** Facts of an engine that runs in a process, or in this server. */
interface Held {
  /** Undefined for an engine in this server. */
  readonly pid: number | undefined
  /** Label of the engine's memory, now or after its load: `gpu0`, `CPU`. */
  readonly placement: string
  /** Memory that the engine uses. Undefined until it was measured. */
  readonly usedBytes: MemoryBytes | undefined
  /** Time until an idle model is unloaded, if no request comes. Undefined if it stays. */
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
  /** Backend that the engine computes with. Undefined for engines that have only one. */
  readonly backend: string | undefined
}

/** Failed load, or unexpected end of a process. */
export interface EngineFailure {
  /** Milliseconds UTC. */
  readonly atMs: number
  readonly reason: string
  /** Last lines that the engine wrote, the oldest first. */
  readonly lines: readonly string[]
}

/**
 * Failure of a load. `out-of-memory` may succeed later, with a smaller need or more memory. `bad-model` stays until the
 * model's files change.
 */
export type LoadFailure = 'out-of-memory' | 'bad-model' | 'other'

/** Facts of a loaded model, reported by its engine. */
export interface EngineInfo {
  /** Device that the model really runs on: `cpu`, `vulkan`, `cuda`. */
  readonly device: string
  /** The library's name of its provider, if it has several: `CPUExecutionProvider`, `CUDAExecutionProvider`. */
  readonly provider?: string
  /** Reason why the model, or a part of it, runs on the CPU where a GPU could be expected. */
  readonly remark?: string | undefined
  /** CPU threads of the engine while no other engine is busy. Absent if only devices compute. */
  readonly threads?: number | undefined
  /** Human-readable line: model kind, size, threads, device name. */
  readonly description: string
  /** Longest prompt and answer of one request, in tokens. */
  readonly contextTokens: number
  /** True if neither the manifest nor a server has stated the context. */
  readonly isContextAssumed?: true | undefined
  /** Most requests decoded side by side. 0 if texts of any number of requests are batched. */
  readonly parallel: number
  /** Bytes that the libraries have allocated for the model, if they report it. The process itself needs more. */
  readonly memory?: MemoryBreakdown
  /** Latest reported layout of the KV cache. Absent if there is none. */
  readonly cacheLayout?: ReasonedLayout
  /** Size of the KV cache in tokens. Absent if there is none. */
  readonly cacheLimitTokens?: number
}

/** State and work of a model, sampled each second. */
export type WatchedModel = ModelState & ModelWork

export interface ModelWork {
  /** Begin of the state, milliseconds UTC. */
  readonly sinceMs: number
  /** Time of the next automatic try, milliseconds UTC, accurate to the second. Undefined if there is none. */
  readonly retryAtMs: number | undefined
  readonly outputTokensPerSecond: number
  readonly promptTokensPerSecond: number
  /** Used cells of the KV cache. Undefined if the engine does not report them. */
  readonly cacheTokens: number | undefined
  /** Draft tokens proposed since the load, and those accepted. Undefined if the engine does not report them. */
  readonly draftedTokens: number | undefined
  readonly acceptedTokens: number | undefined
  /** Time of steps by phase since the load. Undefined for upstream models. */
  readonly stepTimes: StepTimes | undefined
  /** Shares of the phases during the last second with a step. */
  readonly stepShares: StepShares | undefined
}

/**
 * State of a model's files. `ready`: they are here and usable. `available`: the catalog has the model, this disk has no
 * files. `downloading`: as `available`, and a pull runs. `broken`: files are here and unusable.
 */
export type FilesState =
  | { readonly kind: 'ready' }
  | { readonly kind: 'available' }
  | { readonly kind: 'downloading'; readonly doneBytes: number; readonly totalBytes: number }
  | { readonly kind: 'broken'; readonly reason: string }
