/** Interface of engines, which run in children or in the server itself: one loaded model, for the kinds of work that its engine does. */

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
   * Takes a request of a kind that stands in its row of `engine-table.ts`; everything about it comes through `emit`, its end too. It is prepared, and computed as far as it is
   * granted; free work is computed at once. `trace` is for those that ask other servers. Never throws.
   */
  run(id: number, accountId: string, work: Work<Kind>, trace?: RequestTrace): void
  /** Allows the work, or more of it; unknown ids are ignored. */
  grant(id: number, grant: Grant): void
  /** Stops work on a request before the next step: `cancelled` is the last that comes of it. Unknown ids are ignored. */
  cancel(id: number): void
  /**
   * Pauses a request, whose client does not keep up: no further step of it begins, and events sent meanwhile stay in
   * the server's memory. Other requests continue. Absent for small outputs. Unknown ids are ignored.
   */
  pause?(id: number, isPaused: boolean): void
  /** CPU threads to compute with from the next step on, at least 1. */
  useThreads(count: number): void
  stats(): EngineStats
  /**
   * Writes what the next process of the model can use into the memory file of `EngineSetup.note`, at most `limitBytes`, within about a
   * second. The engine is not used afterwards. Absent if it has nothing to leave.
   */
  leaveNote?(limitBytes: number): readonly NotePart[]
}

/** Facts that an engine is loaded with. */
export interface LoadSetup<Settings> {
  readonly model: InstalledModel
  readonly settings: Settings
  readonly runtime: RuntimePaths
  /** True if the last load killed the child: features known to do so with some models are left out. */
  readonly isCautious: boolean
  /** Keys of parts of requests that killed engines of the model before: the engine refuses requests with them. Absent: none did. */
  readonly deadlyParts?: readonly string[] | undefined
  /** Keys of parts that may have killed an engine before: each is decoded and encoded alone. Absent: none. */
  readonly suspectParts?: readonly string[] | undefined
  /** Tokens, prompt and answer, of the latest requests to this model, the oldest first. Absent if unknown. */
  readonly pastTokens?: readonly number[] | undefined
  /** Costs of steps measured by earlier loads of the model. Absent if unknown. */
  readonly stepCurves?: readonly StepCurve[] | undefined
  /** Settings of the placement that was chosen for the model. Undefined if the engine chooses. */
  readonly placement?: Placement['load'] | undefined
}

export interface EngineSetup<Kind extends WorkKind, Settings> extends LoadSetup<Settings> {
  /**
   * Memory file with the note that an earlier process of the model left. The engine empties it. Absent if it may leave
   * none.
   */
  readonly note?: { readonly file: number; readonly parts: readonly NotePart[] } | undefined
  /**
   * Aborts when the engine is to end, in the middle of a load too: it then ends all that it does at once, and says nothing more.
   * Only of engines that run in the server's process; the others end with theirs.
   */
  readonly signal?: AbortSignal | undefined
  /** Called from time to time with the fraction of the model that has been read, 0 to 1. */
  readonly onProgress?: ((fraction: number) => void) | undefined
  /** Called at the end of each phase of the load. */
  readonly onPhase?: ((phase: LoadPhase) => void) | undefined
  /** Sends events to the parent, in order. */
  readonly emit: (events: readonly RequestEvent<WorkEvent<Kind>>[]) => void
}

/** Loads the model. The error's message goes to the operator; a `LoadError` also says what kind of failure it is. */
export type LoadEngine<Kind extends WorkKind, Settings> = (setup: EngineSetup<Kind, Settings>) => Promise<Engine<Kind>>

export interface PlacementRequest<Settings> {
  readonly model: InstalledModel
  readonly settings: Settings
  readonly runtime: RuntimePaths
  /** Bytes of each pool that models may have while nothing is loaded. */
  readonly budgetBytes: MemoryBytes
  /** Called with faults of the model for the operator. Absent if they are not checked. */
  readonly onRemark?: ((remark: string) => void) | undefined
}

/** The ways to hold a model in memory, the best first; at least one. Throws a `LoadError` for a model that cannot be loaded. */
export type EstimatePlacements<Settings> = (request: PlacementRequest<Settings>) => Promise<readonly Placement[]>

export interface EngineStats {
  /** Steps (batches decoded) since the model was loaded. */
  readonly steps: number
  /** CPU threads that it computes with now, or with the next step. */
  readonly threads: number
  /** Requests that hold a slot now; paused ones do not count. */
  readonly running: number
  /** Requests that wait for a slot, or for their first grant. */
  readonly waiting: number
  /** Prompt tokens decoded since the load, for failed requests too. */
  readonly decodedPromptTokens: number
  /** Prompt tokens that were cached, likewise. */
  readonly reusedPromptTokens: number
  /** Tokens of answers, likewise. */
  readonly generatedTokens: number
  /** Tokens in the KV cache now, those kept for later prompts included; absent if there is none. */
  readonly cacheTokens?: number
  /** Layout of the KV cache now; absent if there is none. */
  readonly cacheLayout?: ReasonedLayout | undefined
  /** Draft tokens proposed and accepted since the load. Absent without drafts. */
  readonly draftedTokens?: number
  readonly acceptedTokens?: number
  /** Pictures encoded since the load. Absent if there are none. */
  readonly encodedPictures?: number
  /** Time of steps by phase; absent if another server computes. */
  readonly stepTimes?: StepTimes
  /** Measured costs of steps, for the next load; absent if nothing is planned by them. */
  readonly stepCurves?: readonly StepCurve[]
}

/**
 * Part of the note that an engine leaves in its memory file for the next process of its model. The parts lie one behind the other, from
 * the beginning of the file, the latest used first. The server drops the last ones when their time is over or models need the memory.
 */
export interface NotePart<Label = unknown> {
  /** Bytes that it takes of the file. */
  readonly bytes: number
  /** Time since its last use, when this was said. */
  readonly idleMs: number
  /** The engine's own words about it, which the server keeps and does not read. */
  readonly label: Label
}

/** Line of the server's log about an engine. */
export interface EngineLogLine {
  readonly modelId: string
  readonly level: 'info' | 'warn' | 'error'
  readonly message: string
}
