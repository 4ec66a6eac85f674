/**
 * Messages between parent and engine child, over Bun's IPC (`serialization: "advanced"`). Both ends are the same
 * executable, so messages are shared types and are not validated again; the version guards against a stale child.
 *
 * One child serves one model. The parent sends `load` first and waits for `ready` or `load-failed`. Then any number of
 * requests may be in flight. Each begins with `run` and ends with exactly one `finish` event, `error` or, after a
 * `cancel` that came in time, `cancelled`.
 *
 * Work is computed as far as it is paid for: the engine sends `prepared`, and begins after the first `grant`. Near the
 * end of a grant that is not final it sends `wantsGrant`, once per grant. Free work is computed at once.
 *
 * Before `load` the parent may send `estimate`, which loads no weights. The child answers `placements` and waits for
 * `load` of the same model or for `stop`, or it answers `load-failed` and exits.
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

/** Id of the stats that the server's watchdog requests and that an engine sends before it ends. */
export const watchdogId = 0

/** File descriptor of the child's memory file, if it has one. */
export const memoryFile = 3

export type ToEngine =
  | (LoadSetup<SettingValues> & {
      readonly type: 'load'
      readonly version: number
      readonly kind: EngineKind
      /** Contents of the child's memory file. Absent if there is none. */
      readonly note?: readonly NotePart[] | undefined
    })
  /** Asks for the devices, instead of `load`; the child answers `devices` or `load-failed`, and exits. */
  | { readonly type: 'devices'; readonly version: number; readonly kind: EngineKind; readonly runtime: RuntimePaths }
  /**
   * Asks for a computation on each device of one backend, or on one device; the child answers `probed` or
   * `load-failed`, and exits.
   */
  | {
      readonly type: 'probe'
      readonly version: number
      readonly kind: EngineKind
      readonly runtime: RuntimePaths
      readonly candidate: BackendCandidate
      readonly deviceIndex?: number | undefined
    }
  /** Asks for the ways to hold the model in memory. */
  | (Omit<PlacementRequest<SettingValues>, 'onRemark'> & {
      readonly type: 'estimate'
      readonly version: number
      readonly kind: EngineKind
      /** True to look for faults of the model to report to the operator, which takes longer. */
      readonly wantsRemarks: boolean
    })
  /** Takes a request. An engine refuses kinds of work that are not in its row. */
  | {
      readonly type: 'run'
      readonly id: number
      readonly accountId: string
      readonly work: Work
      /** For engines that call other servers. */
      readonly trace?: RequestTrace
    }
  /** Next part of a large request, in order. The `run` message follows the last part (`packed-request.ts`). */
  | { readonly type: 'packed'; readonly id: number; readonly bytes: Uint8Array }
  /** Ignored if the request has ended. */
  | { readonly type: 'grant'; readonly id: number; readonly grant: Grant }
  /** Stops work on a request before the next step. Answered by `cancelled`, unless the request has ended. */
  | { readonly type: 'cancel'; readonly id: number }
  /** The client reads slower than the engine writes, or has caught up. Ignored if the request has ended. */
  | { readonly type: 'pause'; readonly id: number; readonly isPaused: boolean }
  | { readonly type: 'stats'; readonly id: number }
  /** CPU threads to compute with from the next step on, because other engines need the rest. */
  | { readonly type: 'threads'; readonly count: number }
  /** `noteBytes`: most bytes of the note in the memory file, which `note` reports. Absent leaves none. */
  | { readonly type: 'stop'; readonly noteBytes?: number }

export type FromEngine =
  /** Fraction of the model that has been read, 0 to 1. Sent every second during the load if the libraries report it. */
  | { readonly type: 'progress'; readonly fraction: number }
  /** `times`: durations of the load's phases inside the child. */
  | { readonly type: 'ready'; readonly info: EngineInfo; readonly times?: LoadTimes }
  /** The child exits after this. Also sent if the parent's protocol version differs. */
  | { readonly type: 'load-failed'; readonly code: LoadFailure; readonly message: string }
  /** The child exits after this. */
  | { readonly type: 'devices'; readonly devices: readonly EngineDevice[] }
  /** Devices that computed the same as the CPU. */
  | { readonly type: 'probed'; readonly devices: readonly ComputedDevice[] }
  | { readonly type: 'placements'; readonly placements: readonly Placement[]; readonly remarks: readonly string[] }
  /** Contents of the note in the memory file. The child exits after this. */
  | { readonly type: 'note'; readonly parts: readonly NotePart[] }
  /** All events of one step: one message per step, not per token, since IPC costs 7 us a message. */
  | { readonly type: 'events'; readonly events: readonly RequestEvent[] }
  | { readonly type: 'stats'; readonly id: number; readonly stats: EngineStats | undefined }
