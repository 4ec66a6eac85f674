/** Loaded or loading model from the server's point of view, in a separate process or in the server's own. */

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
  /** Process id. Undefined for an engine in the server's process. */
  readonly pid: number | undefined
  /** Facts of the loaded model. Undefined before. */
  readonly info: EngineInfo | undefined
  /** Phases of the load; empty before the model is loaded. */
  readonly loadTimes: LoadTimes
  /** Paths and backends of the load. Undefined before it. */
  readonly runtime: RuntimePaths | undefined
  readonly running: number
  /**
   * Ends the engine, also during a load. Its requests fail. After a graceful end it may leave a note of `noteBytes` to
   * the next engine. The event `exited` reports the end.
   */
  stop(how: 'graceful' | 'now', noteBytes?: number): void
  /** Ends the engine once its current requests are finished. */
  retire(): void
  /**
   * Runs one request as far as `meter` grants. The engine stops the work when the generator is returned early,
   * `signal` aborts (throws its reason) or the meter throws (throws the same error). The generator ends once the
   * engine has stopped and the meter was told what was computed. Throws `EngineEnded` when the engine ends before, and
   * the engine's own refusals. While a `next` is pending only `signal` ends it.
   */
  run<Asked extends Work>(
    work: Asked,
    context: RequestContext,
    watch?: RequestWatch,
  ): AsyncGenerator<WorkEvent<Asked['kind']>>
  /** Fails current requests, and later ones with `EngineEnded`, because the engine is about to be stopped. */
  abandonRequests(reason: string): void
  /** Returns the engine's own counters; undefined before the model is loaded. */
  stats(): Promise<EngineStats | undefined>
}

/** Starts the engine of a model. */
export function hostEngine(options: HostedEngineOptions): HostedEngine {
  const load = options.host.inServer?.[options.model.manifest.engine]
  return load === undefined ? new EngineProcess(options) : new InServerEngine(options, load)
}

/** Dependencies of all engines of a server. */
export interface HostOptions {
  readonly spawn: EngineSpawn
  /**
   * Engines without native code, which run in the server's own process. If absent, each engine runs in a separate
   * process.
   */
  readonly inServer?: { readonly [Kind in EngineKind]?: LoadEngine<WorkKind, never> }
  /** The server's settings. A model's manifest may override them. */
  readonly settings: EngineSettings
  /**
   * Returns paths and backends at each engine start. The first call may unpack files and probe the engine's backends.
   */
  readonly runtime: (device?: DeviceSetting, kind?: EngineKind) => Promise<RuntimePaths>
  /**
   * Checks the model's files in parallel to each load. Throws a `LoadError` if they are damaged. `signal` aborts when
   * the load is stopped.
   */
  readonly checkFiles?: (model: InstalledModel, signal: AbortSignal) => Promise<void>
  readonly backends?: ChosenBackends
  /**
   * Returns the tokens (prompt and answer) of the latest requests to a model, the oldest first. Called at each load.
   */
  readonly pastTokens?: (modelId: string) => readonly number[]
  readonly log: (line: EngineLogLine) => void
  readonly clock: Clock
}

/** Backends of models, as far as they were probed. */
interface ChosenBackends {
  /** Returns the id of the backend that the next load takes; undefined for an engine that has no choice. */
  chosen(kind: EngineKind, device: DeviceSetting): string | undefined
  /** Returns whether the driver must compile kernels for a card when a model is loaded with that backend. */
  compiles(kind: EngineKind, device: DeviceSetting): boolean
  /**
   * Called for each process that ended unasked, with its last lines and its start options. Returns the reason if its
   * backend was at fault: the next load then takes another backend.
   */
  noteEnd(end: EngineEnd): Reason | undefined
}

export interface EngineEnd {
  readonly kind: EngineKind
  readonly device: DeviceSetting
  readonly runtime: RuntimePaths
  /** Indices of the GPUs that held the model, empty if the CPU computed. Undefined for a dry run, which opens all. */
  readonly devices: readonly number[] | undefined
  readonly lines: readonly string[]
}

export interface HostedEngineOptions {
  readonly model: InstalledModel
  readonly placement: Placement['load']
  /** Costs of steps measured by earlier loads. */
  readonly stepCurves?: readonly StepCurve[] | undefined
  /** True if an earlier load of the model killed its child. */
  readonly isCautious: boolean
  /** True if the driver may compile kernels during the load, which takes minutes. */
  readonly mayCompile?: boolean
  /** Parts of requests that killed engines of the model. This engine adds its own. */
  readonly deadlyParts: DeadlyParts
  readonly host: HostOptions
  readonly onEvent: (event: ProcessEvent) => void
  /** Memory file with the note of an earlier process. This engine leaves its own note there. */
  readonly note?: Note | undefined
  /** Child that waits for this load, with the same memory file. */
  readonly spare?: SpareChild | undefined
  /** Called with each line of the child's stderr. */
  readonly onLine?: (line: string) => void
}
