/** One loaded or loading model as the server knows it, in a process of its own or in the server's. */

import type { Clock } from '../../core/clock.ts'
import type { LoadTimes } from '../../core/load-phases.ts'
import type { Placement } from '../../core/memory.ts'
import type { EngineKind, InstalledModel } from '../../core/model.ts'
import type { EngineInfo } from '../../core/model-state.ts'
import type { StepCurve } from '../../core/step-costs.ts'
import type { Work, WorkEvent, WorkKind } from '../../core/work.ts'
import type { DeviceSetting } from '../backends/choose-backend.ts'
import type { Reason } from '../backends/reasons.ts'
import type { EngineSettings } from '../engine-table.ts'
import type { RuntimePaths } from '../protocol/backend.ts'
import type { EngineLogLine, EngineStats, LoadEngine } from '../protocol/engine.ts'
import type { RequestContext } from '../protocol/work-engines.ts'
import type { DeadlyParts } from './deadly-parts.ts'
import type { ProcessEvent } from './engine-life.ts'
import { EngineProcess } from './engine-process.ts'
import { InServerEngine } from './in-server-engine.ts'
import type { Note } from './note.ts'
import type { RequestWatch } from './requests-in-flight.ts'
import type { SpareChild } from './spare-child.ts'
import type { EngineSpawn } from './spawn-engine.ts'

export interface HostedEngine {
  /** Undefined if it has no process of its own. */
  readonly pid: number | undefined
  /** Undefined before the model is loaded. */
  readonly info: EngineInfo | undefined
  /** Phases of the load; empty before the model is loaded. */
  readonly loadTimes: LoadTimes
  /** Undefined before the load. */
  readonly runtime: RuntimePaths | undefined
  readonly running: number
  /**
   * Ends it, in the middle of a load too; its requests fail. One that ends gracefully may leave so many bytes to the next engine.
   * The event `exited` says that it is gone.
   */
  stop(how: 'graceful' | 'now', noteBytes?: number): void
  /** Ends it when the requests that it has are finished. */
  retire(): void
  /**
   * Runs one request as far as `meter` grants. The engine's work ends when the generator is returned early, `signal`
   * aborts (then it throws the signal's reason) or the meter throws (then it throws the same); the generator ends when
   * the engine has stopped and the meter has heard what was computed. Throws `EngineEnded` when the engine ends before,
   * and what the engine refuses. While a `next` is pending only `signal` ends it.
   */
  run<Asked extends Work>(
    work: Asked,
    context: RequestContext,
    watch?: RequestWatch,
  ): AsyncGenerator<WorkEvent<Asked['kind']>>
  /** Fails its requests, and ends later ones with `EngineEnded`: it is about to be stopped. */
  abandonRequests(reason: string): void
  /** Returns the engine's own counters; undefined before the model is loaded. */
  stats(): Promise<EngineStats | undefined>
}

/** Starts the engine of a model. */
export function hostEngine(options: HostedEngineOptions): HostedEngine {
  const load = options.host.inServer?.[options.model.manifest.engine]
  return load === undefined ? new EngineProcess(options) : new InServerEngine(options, load)
}

/** Needs of all engines of a server. */
export interface HostOptions {
  readonly spawn: EngineSpawn
  /** Engines without native code, which run in the server's own process. Absent: all run in processes of their own. */
  readonly inServer?: { readonly [Kind in EngineKind]?: LoadEngine<WorkKind, never> }
  /** The server's settings, for everything that a model's manifest leaves open. */
  readonly settings: EngineSettings
  /** Asked at each engine start; may unpack files, and probe the engine's backends for the device, on its first call. */
  readonly runtime: (device?: DeviceSetting, kind?: EngineKind) => Promise<RuntimePaths>
  /** Called at each load, and beside it. Throws a `LoadError` when the model's files are damaged. `signal` aborts when the load is stopped. */
  readonly checkFiles?: (model: InstalledModel, signal: AbortSignal) => Promise<void>
  readonly backends?: ChosenBackends
  /** Returns the tokens, prompt and answer, of the latest requests to a model, the oldest first. Asked at each load. */
  readonly pastTokens?: (modelId: string) => readonly number[]
  readonly log: (line: EngineLogLine) => void
  readonly clock: Clock
}

/** Backends of models, as far as they were probed. */
export interface ChosenBackends {
  /** Returns the id of the backend that the next load takes; undefined for an engine that has no choice. */
  chosen(kind: EngineKind, device: DeviceSetting): string | undefined
  /** Returns whether the driver compiles kernels for a card when that backend computes. */
  compiles(kind: EngineKind, device: DeviceSetting): boolean
  /**
   * Called for each process that has ended by itself, with its last lines and its start options. Returns the reason if
   * its backend ended it: the next load then takes another one.
   */
  noteEnd(end: EngineEnd): Reason | undefined
}

export interface EngineEnd {
  readonly kind: EngineKind
  readonly device: DeviceSetting
  readonly runtime: RuntimePaths
  /** Places of the GPUs that held the model, none if the CPU computed; undefined for a dry run, which opens all. */
  readonly devices: readonly number[] | undefined
  readonly lines: readonly string[]
}

export interface HostedEngineOptions {
  readonly model: InstalledModel
  readonly placement: Placement['load']
  /** Costs of steps that earlier loads have measured. */
  readonly stepCurves?: readonly StepCurve[] | undefined
  /** A load of the model killed its child before. */
  readonly isCautious: boolean
  /** The driver may compile kernels meanwhile, which takes minutes. */
  readonly mayCompile?: boolean
  /** Parts of requests that killed engines of the model; this one adds its own. */
  readonly deadlyParts: DeadlyParts
  readonly host: HostOptions
  readonly onEvent: (event: ProcessEvent) => void
  /** Memory file with the note of an earlier process; this one leaves its own there. */
  readonly note?: Note | undefined
  /** A child that waits for this load, with the same memory file. */
  readonly spare?: SpareChild | undefined
  /** Called with each line that the child writes on its error output. */
  readonly onLine?: (line: string) => void
}
