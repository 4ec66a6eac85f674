/** Interface of engines, in children or in the server itself: one loaded model, for its engine's kinds of work. */

import type { ReasonedLayout } from '../../core/cache-layout.ts'
import type { LoadPhase } from '../../core/load-phases.ts'
import type { MemoryBytes, Placement } from '../../core/memory.ts'
import type { InstalledModel } from '../../core/model.ts'
import type { EngineInfo } from '../../core/model-state.ts'
import type { StepCurve } from '../../core/step-costs.ts'
import type { StepTimes } from '../../core/step-times.ts'
import type { RequestTrace } from '../../core/trace.ts'
import type { Work, WorkEvent, WorkKind } from '../../core/work.ts'
import type { RuntimePaths } from './backend.ts'
import type { Grant, RequestEvent } from './request-events.ts'

export interface Engine<Kind extends WorkKind = WorkKind> {
  readonly info: EngineInfo
  /**
   * Takes a request of a kind in the engine's row of `engine-table.ts`. All its events, including its end, come
   * through `emit`. Prepares it and computes as far as it is granted; free work is computed at once. `trace` is for
   * engines that call other servers. Never throws.
   */
  run(id: number, accountId: string, work: Work<Kind>, trace?: RequestTrace): void
  /** Allows the work, or more of it. Ignores unknown ids. */
  grant(id: number, grant: Grant): void
  /** Stops work on a request before the next step; `cancelled` is its last event. Ignores unknown ids. */
  cancel(id: number): void
  /**
   * Pauses a request whose client does not keep up: none of its steps begins, and events sent meanwhile stay in the
   * server's memory. Other requests continue. Absent for small outputs. Ignores unknown ids.
   */
  pause?(id: number, isPaused: boolean): void
  /** Sets the CPU threads to compute with from the next step on, at least 1. */
  useThreads(count: number): void
  stats(): EngineStats
  /**
   * Writes data for the model's next process into the memory file of `EngineSetup.note`, at most `limitBytes`, within
   * about a second. The engine is not used afterwards. Absent if the engine leaves no note.
   */
  leaveNote?(limitBytes: number): readonly NotePart[]
}

/** Input of a load, besides callbacks and the memory file. */
export interface LoadSetup<Settings> {
  readonly model: InstalledModel
  readonly settings: Settings
  readonly runtime: RuntimePaths
  /** True if the last load killed the child: features known to crash with some models are left out. */
  readonly isCautious: boolean
  /**
   * Keys of parts of requests that killed engines of the model: the engine refuses requests with them. Absent for
   * none.
   */
  readonly deadlyParts?: readonly string[] | undefined
  /** Keys of parts that may have killed an engine: each is decoded and encoded alone. Absent for none. */
  readonly suspectParts?: readonly string[] | undefined
  /** Tokens, prompt and answer, of the latest requests to this model, the oldest first. Absent if unknown. */
  readonly pastTokens?: readonly number[] | undefined
  /** Costs of steps measured by earlier loads of the model. Absent if unknown. */
  readonly stepCurves?: readonly StepCurve[] | undefined
  /** Settings of the placement chosen for the model. Undefined if the engine chooses. */
  readonly placement?: Placement['load'] | undefined
}

export interface EngineSetup<Kind extends WorkKind, Settings> extends LoadSetup<Settings> {
  /**
   * Memory file with the note of an earlier process of the model. The engine empties it. Absent if the engine may
   * leave no note.
   */
  readonly note?: { readonly file: number; readonly parts: readonly NotePart[] } | undefined
  /**
   * Aborts when the engine must end, also during a load: it then ends all its work at once and sends nothing more.
   * Present only for engines in the server's process; others end with their process.
   */
  readonly signal?: AbortSignal | undefined
  /** Called now and then with the fraction of the model that has been read, 0 to 1. */
  readonly onProgress?: ((fraction: number) => void) | undefined
  /** Called at the end of each phase of the load. */
  readonly onPhase?: ((phase: LoadPhase) => void) | undefined
  /** Sends events to the parent, in order. */
  readonly emit: (events: readonly RequestEvent<WorkEvent<Kind>>[]) => void
}

/** Loads the model. The error's message is for the operator; a `LoadError` also has the kind of failure. */
export type LoadEngine<Kind extends WorkKind, Settings> = (setup: EngineSetup<Kind, Settings>) => Promise<Engine<Kind>>

export interface PlacementRequest<Settings> {
  readonly model: InstalledModel
  readonly settings: Settings
  readonly runtime: RuntimePaths
  /** Bytes of each pool that models may have while nothing is loaded. */
  readonly budgetBytes: MemoryBytes
  /** Called with each fault of the model, for the operator. Absent if faults are not looked for. */
  readonly onRemark?: ((remark: string) => void) | undefined
}

/**
 * Returns the ways to hold a model in memory, the best first; at least one. Throws a `LoadError` for a model that
 * cannot be loaded.
 */
export type EstimatePlacements<Settings> = (request: PlacementRequest<Settings>) => Promise<readonly Placement[]>

export interface EngineStats {
  /** Steps (batches decoded) since the model was loaded. */
  readonly steps: number
  /** CPU threads used now, or from the next step on. */
  readonly threads: number
  /** Requests that hold a slot, without paused ones. */
  readonly running: number
  /** Requests that wait for a slot, or for their first grant. */
  readonly waiting: number
  /** Prompt tokens decoded since the load, including those of failed requests. */
  readonly decodedPromptTokens: number
  /** Prompt tokens found in the cache since the load, including those of failed requests. */
  readonly reusedPromptTokens: number
  /** Answer tokens generated since the load, including those of failed requests. */
  readonly generatedTokens: number
  /** Tokens in the KV cache, including those kept for later prompts; absent if there is no cache. */
  readonly cacheTokens?: number
  /** Layout of the KV cache; absent if there is no cache. */
  readonly cacheLayout?: ReasonedLayout | undefined
  /** Draft tokens proposed and accepted since the load. Absent without drafts. */
  readonly draftedTokens?: number
  readonly acceptedTokens?: number
  /** Pictures encoded since the load. Absent for models without pictures. */
  readonly encodedPictures?: number
  /** Time of steps by phase; absent if another server computes. */
  readonly stepTimes?: StepTimes
  /** Measured step costs, for the next load; absent if the engine plans nothing by them. */
  readonly stepCurves?: readonly StepCurve[]
}

/**
 * Part of the note that an engine leaves in its memory file for the model's next process. The parts lie one behind the
 * other from the beginning of the file, the most recently used first. The server drops the last ones when they expire
 * or models need the memory.
 */
export interface NotePart<Label = unknown> {
  /** Size in the file. */
  readonly bytes: number
  /** Time since the last use, at the time of the report. */
  readonly idleMs: number
  /** Data of the engine's own, which the server stores but does not read. */
  readonly label: Label
}

/** Line of the server's log about an engine. */
export interface EngineLogLine {
  readonly modelId: string
  readonly level: 'info' | 'warn' | 'error'
  readonly message: string
}
