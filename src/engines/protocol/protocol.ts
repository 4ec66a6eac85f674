/**
 * Messages between parent and engine child, over Bun's IPC (`serialization: "advanced"`). Both ends are the same
 * executable, so messages are shared types and are not validated again; the version guards against a stale child.
 *
 * One child serves one model. The parent sends `load` first and waits for `ready` or `load-failed`. Then any number of
 * requests may be in flight, each begun by `run`; each ends with exactly one `finish` event, `error` or, after a `cancel`
 * that came in time, `cancelled`.
 *
 * Work is computed as far as it is paid for: the engine says `prepared`, and begins when the first `grant` comes. Near the
 * end of a grant that is not final it says `wantsGrant`, once a grant. Free work is computed at once.
 *
 * Before `load` the parent may send `estimate`, which loads no weights; the child answers `placements`, and waits for `load` of the same
 * model or for `stop`, or answers `load-failed` and exits.
 */

import type { ReasonedLayout } from '../../core/cache-layout.ts'
import type { ErrorData } from '../../core/errors.ts'
import type { LoadTimes } from '../../core/load-phases.ts'
import type { MemoryBytes, Placement } from '../../core/memory.ts'
import type { EngineKind, InstalledModel } from '../../core/model.ts'
import type { EngineInfo, LoadFailure } from '../../core/model-state.ts'
import type { SettingValues } from '../../core/setting.ts'
import type { StepCurve } from '../../core/step-costs.ts'
import type { StepTimes } from '../../core/step-times.ts'
import type { RequestTrace } from '../../core/trace.ts'
import type { Consumption } from '../../core/usage.ts'
import type { Work, WorkEvent } from '../../core/work.ts'
import type { BackendCandidate, ComputedDevice, JudgedBackend, ProbedKind } from './backend.ts'

export const protocolVersion = 16

/** Places of the native libraries: inside node_modules in development, unpacked by the executable otherwise. */
export interface RuntimePaths {
  /** Absolute path of node-llama-cpp's `package.json`: the packages with llama.cpp's libraries lie beside its folder. */
  readonly nodeLlamaCpp: string
  /** Absolute path of the library that brings llama.cpp into a process; its other libraries lie beside it. */
  readonly llamaCore: string
  /** Folder with our addons, `inferd-llama.cpu.node` and `inferd-speech.node`. */
  readonly addons: string
  /** Absolute path of ONNX Runtime's binding; its libraries lie beside it. */
  readonly onnxRuntime: string
  /** Absolute path of the tokenizers' binding. */
  readonly tokenizers: string
  /** Absolute path of sherpa-onnx's addon; its libraries lie beside it. */
  readonly sherpaOnnx: string
  /** Absolute path of the voice activity model, for models that bring none. */
  readonly starterVad: string
  /** Absolute path of the starter chat model, with which backends are probed. */
  readonly starterChat: string
  /** Backends of this machine in order of preference. Absent if nobody probed them. */
  readonly backends?: Readonly<Partial<Record<ProbedKind, readonly JudgedBackend[]>>>
}

/** A device as the engine's libraries see it, in their order. */
export interface EngineDevice {
  readonly name: string
  /** True if it uses the host's memory. */
  readonly isIntegrated: boolean
  /** 0 if its driver does not report it. */
  readonly totalBytes: number
  readonly freeBytes: number
}

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

/** Id of the stats that the server's watchdog asks for, and that an engine tells before it ends. */
export const watchdogId = 0

/** File descriptor of the child's memory file, if it has one. */
export const memoryFile = 3

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

/** Consumption of a request as far as it is known before anything is computed. Tokens of several choices count together. */
export interface Estimate {
  /** Certain consumption: the prompt, the texts. */
  readonly least: Consumption
  /** The maximum, by the request's own limit and by the context. */
  readonly most: Consumption
  /** The engine cannot be granted more later: its first grant is final. Absent: it can. */
  readonly isOnlyGrant?: true | undefined
}

/** Permission of the parent to compute. */
export interface Grant {
  /**
   * Consumption that is allowed in all, counted from the beginning of the request. Tokens of several choices count together, and
   * each choice may have an equal part. A later grant takes nothing back.
   */
  readonly limit: Consumption
  /** No more will come: an answer that gets there ends with reason `length`. Otherwise it waits there for the next grant. */
  readonly isFinal: boolean
}

/** An engine asks for the next grant this many tokens ahead, or half a grant: the answer goes on meanwhile. */
const askedAheadTokens = 64

/** Tokens that a choice has when the engine asks for more than the `grantedTokens` of a grant that is not final. */
export function asksForMoreAt(grantedTokens: number): number {
  return grantedTokens - Math.min(askedAheadTokens, Math.floor(grantedTokens / 2))
}

/** Line of the server's log about an engine. */
export interface EngineLogLine {
  readonly modelId: string
  readonly level: 'info' | 'warn' | 'error'
  readonly message: string
}

export type ToEngine =
  | {
      readonly type: 'load'
      readonly version: number
      readonly kind: EngineKind
      readonly model: InstalledModel
      /** Settings as the row of its kind in `engine-table.ts` has them. */
      readonly settings: SettingValues
      readonly runtime: RuntimePaths
      /** True if the last load killed the child: leave out the optimizations known to do so with some models. */
      readonly isCautious: boolean
      /** Settings of the placement that was chosen. Undefined if the engine chooses. */
      readonly placement?: Placement['load'] | undefined
      /** Parts of requests that killed the engine before, as in `EngineSetup`. */
      readonly deadlyParts?: readonly string[]
      readonly suspectParts?: readonly string[]
      /** Tokens of the latest requests to the model, as in `EngineSetup`. */
      readonly pastTokens?: readonly number[] | undefined
      /** Costs of steps that earlier loads have measured, as in `EngineStats`. */
      readonly stepCurves?: readonly StepCurve[] | undefined
      /** Contents of the child's memory file. Absent if it has none, and leaves nothing. */
      readonly note?: readonly NotePart[] | undefined
    }
  /** Instead of `load`; the child answers `devices`, or `load-failed`, and exits. */
  | { readonly type: 'devices'; readonly version: number; readonly kind: EngineKind; readonly runtime: RuntimePaths }
  /** Asks for a computation on each device of one backend, or on one of them; the child answers `probed`, or `load-failed`, and exits. */
  | {
      readonly type: 'probe'
      readonly version: number
      readonly kind: EngineKind
      readonly runtime: RuntimePaths
      readonly candidate: BackendCandidate
      readonly deviceIndex?: number | undefined
    }
  /** Asks how the model could be held in memory. */
  | {
      readonly type: 'estimate'
      readonly version: number
      readonly kind: EngineKind
      readonly model: InstalledModel
      readonly settings: SettingValues
      readonly runtime: RuntimePaths
      /** Bytes of each pool that models may have while nothing is loaded. */
      readonly budgetBytes: MemoryBytes
      /** True to look for faults of the model to report to the operator, which takes longer. */
      readonly wantsRemarks: boolean
    }
  /** An engine refuses kinds of work that it does not do. */
  | {
      readonly type: 'run'
      readonly id: number
      readonly accountId: string
      readonly work: Work
      /** For engines that pass the request on. */
      readonly trace?: RequestTrace
    }
  /** A part of a large request that comes next, in order; the request itself ends them (`packed-request.ts`). */
  | { readonly type: 'packed'; readonly id: number; readonly bytes: Uint8Array }
  /** Ignored where the request has ended. */
  | { readonly type: 'grant'; readonly id: number; readonly grant: Grant }
  /** Stops work on a request before the next step. Answered by `cancelled`, unless the request has ended. */
  | { readonly type: 'cancel'; readonly id: number }
  /** The client reads slower than the engine writes, or no longer does. Ignored where the request has ended. */
  | { readonly type: 'pause'; readonly id: number; readonly isPaused: boolean }
  | { readonly type: 'stats'; readonly id: number }
  /** CPU threads to compute with from the next step on: other engines need the others. */
  | { readonly type: 'threads'; readonly count: number }
  /** `noteBytes`: most bytes to leave in its memory file, reported by `note`. Absent leaves nothing. */
  | { readonly type: 'stop'; readonly noteBytes?: number }

/** Event of request `id`. `Event` is the event type of its kind of work. */
export type RequestEvent<Event extends WorkEvent = WorkEvent> =
  | { readonly id: number; readonly prepared: Estimate }
  | { readonly id: number; readonly event: Event }
  | { readonly id: number; readonly wantsGrant: true }
  /** Keys of all its parts that are decoded or encoded from now on. Sent before the work begins, since it may kill the child. */
  | { readonly id: number; readonly encoding: readonly string[] }
  /** Computed work: prompt tokens processed (cached ones included, none twice), tokens taken of all choices; `isEstimated` as in `FinishEvent`. */
  | { readonly id: number; readonly cancelled: Consumption; readonly isEstimated?: true | undefined }
  | { readonly id: number; readonly error: ErrorData }

export type FromEngine =
  /** Fraction of the model that has been read, 0 to 1; every second while it is loaded, where the libraries tell. */
  | { readonly type: 'progress'; readonly fraction: number }
  /** `times`: of the load's phases inside the child. */
  | { readonly type: 'ready'; readonly info: EngineInfo; readonly times?: LoadTimes }
  /** The child exits after this. A version other than the parent's is a failure too. */
  | { readonly type: 'load-failed'; readonly code: LoadFailure; readonly message: string }
  /** The child exits after this. */
  | { readonly type: 'devices'; readonly devices: readonly EngineDevice[] }
  /** Devices with the same results as the CPU. */
  | { readonly type: 'probed'; readonly devices: readonly ComputedDevice[] }
  | { readonly type: 'placements'; readonly placements: readonly Placement[]; readonly remarks: readonly string[] }
  /** Contents of the memory file; the child exits after this. */
  | { readonly type: 'note'; readonly parts: readonly NotePart[] }
  /** Everything one step produced: a message a step, not a token (IPC costs 7 us a message). */
  | { readonly type: 'events'; readonly events: readonly RequestEvent[] }
  | { readonly type: 'stats'; readonly id: number; readonly stats: EngineStats | undefined }
