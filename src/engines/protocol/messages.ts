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

import type { LoadTimes } from '../../core/load-phases.ts'
import type { Placement } from '../../core/memory.ts'
import type { EngineKind } from '../../core/model.ts'
import type { EngineInfo, LoadFailure } from '../../core/model-state.ts'
import type { SettingValues } from '../../core/setting.ts'
import type { RequestTrace } from '../../core/trace.ts'
import type { Work } from '../../core/work.ts'
import type { BackendCandidate, ComputedDevice, EngineDevice, RuntimePaths } from './backend.ts'
import type { EngineStats, LoadSetup, NotePart, PlacementRequest } from './engine.ts'
import type { Grant, RequestEvent } from './request-events.ts'

export const protocolVersion = 16

/** Id of the stats that the server's watchdog asks for, and that an engine tells before it ends. */
export const watchdogId = 0

/** File descriptor of the child's memory file, if it has one. */
export const memoryFile = 3

export type ToEngine =
  | (LoadSetup<SettingValues> & {
      readonly type: 'load'
      readonly version: number
      readonly kind: EngineKind
      /** Contents of the child's memory file. Absent if it has none, and leaves nothing. */
      readonly note?: readonly NotePart[] | undefined
    })
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
  | (Omit<PlacementRequest<SettingValues>, 'onRemark'> & {
      readonly type: 'estimate'
      readonly version: number
      readonly kind: EngineKind
      /** True to look for faults of the model to report to the operator, which takes longer. */
      readonly wantsRemarks: boolean
    })
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
