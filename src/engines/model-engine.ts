/** The server's record of one model's engine: its process, the requests that wait for it, and its history. */
import { statSync } from 'node:fs'
import type { EngineFailure } from '../core/live.ts'
import type { LoadTimes } from '../core/load-phases.ts'
import type { MemoryBytes, Placement } from '../core/memory.ts'
import type { InstalledModel, ModelType } from '../core/model.ts'
import { kindsOfWork } from '../core/work.ts'
import type { MemoryReadings } from '../machine/read-memory.ts'
import type { StopReason } from '../scheduler/effects.ts'
import type { ModelSettings } from '../scheduler/settings.ts'
import type { ModelState, ModelView } from '../scheduler/view.ts'
import { usedBackend } from './backends/backend-words.ts'
import { DeadlyRequests } from './deadly-requests.ts'
import { engineTable } from './engine-table.ts'
import { DeadlyPictures } from './host/deadly-pictures.ts'
import { keepLine, keptOf } from './host/exit-reason.ts'
import type { HostedEngine } from './host/hosted-engine.ts'
import type { SpareChild } from './host/spare-child.ts'
import type { LoadedAs } from './known-memory.ts'
import { memorySettingsOf, settingsOf } from './model-settings.ts'
import type { EngineInfo, LoadFailure, RuntimePaths } from './protocol/protocol.ts'
import { SilentCrashes } from './silent-crashes.ts'

export class ModelEngine {
  /** The model as the next start loads it. */
  model: InstalledModel
  /** Changes when an engine must load the model again. */
  revision: string
  isPinned = false
  isPreloaded = false
  /** Milliseconds that its process is kept without requests. Undefined if the last request did not set it. */
  keepAliveMs: number | undefined
  process: HostedEngine | undefined
  /** The process's placement, its need corrected by earlier loads. */
  placement: Placement | undefined
  startedAtMs = 0
  /** Share of the model that has been read, 0 to 1. Undefined if unknown. */
  loadedFraction: number | undefined
  /** Keys of placements that were loaded before with these devices and drivers. */
  loadedBefore: ReadonlySet<string> = new Set()
  /** The driver compiles kernels for the card while it is loaded. */
  isCompiling = false
  /** Memory as it was before the start. */
  readingsBefore: MemoryReadings = {}
  /** Estimated needs of the placements, by their keys. */
  estimates: ReadonlyMap<string, Placement> = new Map()
  /** Child that its dry run left, until its next load. */
  spare: SpareChild | undefined
  /** Duration of the last dry run, until a load's times include it. */
  dryRunMs: number | undefined
  /** Resolves when the process is gone. */
  gone: PromiseWithResolvers<void> | undefined
  /** Running estimate of the model's need, aborted once the model has another revision. */
  estimating: AbortController | undefined
  /** Backend for which its placements were estimated; undefined before, and where there is no choice. */
  backend: string | undefined
  /** Paths and backends of its last estimate. */
  runtime: RuntimePaths | undefined
  /** Number of changes of its backend. An estimate holds only for the backend that it was made with. */
  backendChanges = 0
  /** True once its process has served a request to its end. */
  hasServed = false
  readonly silentCrashes = new SilentCrashes()
  readonly history: EngineHistory = {
    starts: 0,
    lines: [],
    loads: 0,
    isCautious: false,
    stops: {},
    deadlyPictures: new DeadlyPictures(),
    deadlyRequests: new DeadlyRequests(),
  }

  constructor(model: InstalledModel, revision: string) {
    this.model = model
    this.revision = revision
  }

  /** The model with its load settings: CPU only if its engines crashed on a GPU. */
  get loaded(): InstalledModel {
    if (!this.silentCrashes.keepsOffGpu) return this.model
    const { manifest } = this.model
    return { ...this.model, manifest: { ...manifest, settings: { ...manifest.settings, device: 'cpu' } } }
  }

  get id(): string {
    return this.model.manifest.id
  }

  /** Records a line of its stderr. */
  noteLine(line: string): void {
    keepLine(this.history.lines, line)
  }

  noteFailure(reason: string): void {
    this.history.lastFailure = { atMs: Date.now(), reason, lines: keptOf(this.history.lines) }
  }
}

interface EngineHistory {
  starts: number
  /** Lines that the engine wrote since its start, the last ones. */
  lines: string[]
  lastFailure?: EngineFailure
  /** Starts that came to their end. */
  loads: number
  /** Phases of the last one. */
  loadTimes?: LoadTimes
  /** Reason of the process's last unrequested end. */
  lastExit?: string
  /** Reason of the last failed load. Undefined if it succeeded, or was not tried. */
  failedLoad?: { readonly code: LoadFailure; readonly reason: string } | undefined
  /** True after a load killed its child: later loads leave out the optimizations that may have caused it. */
  isCautious: boolean
  readonly deadlyPictures: DeadlyPictures
  readonly deadlyRequests: DeadlyRequests
  /** Number of stops by the scheduler, by reason. */
  stops: { [Reason in StopReason]?: number }
}

export type EngineState = Exclude<ModelState, 'absent'> | 'stopped'

/** For the operator. */
export interface EngineStatus {
  readonly modelId: string
  readonly state: EngineState
  readonly pid: number | undefined
  readonly info: EngineInfo | undefined
  /** Starts after the first one. */
  readonly restarts: number
  /** Reason of the process's last unrequested end. */
  readonly lastExit: string | undefined
  /** Reason of the last failed load. Undefined if it succeeded, or was not tried. */
  readonly failedLoad: string | undefined
  readonly failedLoadCode: LoadFailure | undefined
  /** The later of `lastExit` and `failedLoad`, with the engine's output before it. */
  readonly lastFailure: EngineFailure | undefined
  /** Time until the next automatic try. Undefined if the load has not failed, or is not retried. */
  readonly retryInMs: number | undefined
  readonly running: number
  readonly waiting: number
  /** 0 if nothing waits. */
  readonly longestWaitMs: number
  readonly isPinned: boolean
  /** Time until its unload for being idle, if no request comes. Undefined if there is none. */
  readonly unloadsInMs: number | undefined
  /** Share of a loading model that has been read, 0 to 1. Undefined if unknown. */
  readonly loadedFraction: number | undefined
  /** True while the load compiles kernels for this machine's card, which takes minutes, once. */
  readonly isCompiling: boolean
  /** Name of the backend that it computes with; undefined while it is not loaded, and for engines that have no choice. */
  readonly backend: string | undefined
  /** Milliseconds since the load began; only while the model is loaded. */
  readonly loadingMs: number | undefined
  /** Place where it is, or will be, held: `gpu0`, `CPU`. */
  readonly placement: string | undefined
  readonly estimatedBytes: MemoryBytes | undefined
  readonly reservedBytes: MemoryBytes
  readonly usedBytes: MemoryBytes | undefined
  /** Memory of the host for prompts that wait for its next load; any model that needs it gets it. */
  readonly promptBytes: number
  readonly loads: number
  /** Milliseconds of the last load, by its phases; undefined before the first one. */
  readonly loadTimes: LoadTimes | undefined
  readonly stops: Readonly<{ [Reason in StopReason]?: number }>
}

/** Returns the engine's status. `nowMs` is the pool's clock. */
export function engineStatus(
  engine: ModelEngine,
  view: ModelView | undefined,
  { nowMs, promptBytes }: { readonly nowMs: number; readonly promptBytes: number },
): EngineStatus {
  const { process, history } = engine
  return {
    modelId: engine.id,
    state: view === undefined || view.state === 'absent' ? 'stopped' : view.state,
    pid: process?.pid,
    info: process?.info && withRemark(process.info, engine.silentCrashes),
    restarts: Math.max(0, history.starts - 1),
    lastExit: history.lastExit,
    failedLoad: history.failedLoad?.reason,
    failedLoadCode: history.failedLoad?.code,
    lastFailure: history.lastFailure,
    retryInMs: view?.failure?.untilMs === undefined ? undefined : Math.max(0, view.failure.untilMs - nowMs),
    running: process?.running ?? 0,
    waiting: view?.waiting ?? 0,
    longestWaitMs: view?.longestWaitMs ?? 0,
    isPinned: engine.isPinned,
    unloadsInMs: view?.unloadsAtMs === undefined ? undefined : Math.max(0, view.unloadsAtMs - nowMs),
    loadedFraction: view?.state === 'starting' ? engine.loadedFraction : undefined,
    isCompiling: view?.state === 'starting' && engine.isCompiling,
    backend: process?.info && usedBackend(engine.model.manifest.engine, process.info, process.runtime ?? {}),
    loadingMs: view?.state === 'starting' ? nowMs - engine.startedAtMs : undefined,
    placement: view?.placement?.label,
    estimatedBytes: estimateOf(engine, view)?.needBytes,
    reservedBytes: view?.reserved ?? {},
    usedBytes: view?.measured,
    promptBytes,
    loads: history.loads,
    loadTimes: history.loadTimes,
    stops: history.stops,
  }
}

/** Adds a remark if the model was moved to the CPU because its engines crashed on a GPU. */
function withRemark(info: EngineInfo, { keepsOffGpu }: SilentCrashes): EngineInfo {
  if (!keepsOffGpu) return info
  return { ...info, remark: "its engine ended on the GPU without a word; 'inferd gpu probe' has it tried again" }
}

/** Returns the estimate of its placement; of the best one while it has none. */
function estimateOf({ estimates }: ModelEngine, view: ModelView | undefined): Placement | undefined {
  if (view?.placement === undefined) return [...estimates.values()][0]
  return estimates.get(view.placement.key) ?? view.placement
}

/** Returns the part of a model that an engine is given, as text. Fields that only the server reads do not count. */
export function revisionOf({ manifest, ...files }: InstalledModel, server: ServerSettings): string {
  const { aliases, pricing, license, licenseUrl, acceptLicense, noncommercial, capabilities, defaults, ...rest } =
    manifest
  const { files: origins, settings, ...loaded } = rest // where the files lie is in filePaths
  return JSON.stringify([loaded, settingsOf(manifest, server), files])
}

/**
 * Returns whether the models are the same. The catalog makes their parts once, so they are the same objects while
 * nothing changes.
 */
export function isSameModel(known: InstalledModel, model: InstalledModel): boolean {
  return (
    known.manifest === model.manifest &&
    known.filePaths === model.filePaths &&
    known.filesVersion === model.filesVersion
  )
}

/** Returns the key under which its memory is remembered. */
export function loadedAs({ manifest, filesVersion = '' }: InstalledModel, server: ServerSettings): LoadedAs {
  const settings = memorySettingsOf(manifest, server)
  return { modelId: manifest.id, files: filesVersion, settings, engine: manifest.engine }
}

/** Places and parallel requests of models whose engine batches texts of any number of requests. */
const textPlaces = { parallel: 32, places: 1024 }
/** Places per slot of other models: the engine has its own queue, shares slots between accounts, and must have the next request at hand. */
const placesPerSlot = 2
/** Guess until the first load: read speed of the disk, and start time of the process. */
const guess = { bytesPerMs: 500_000, startMs: 1_500 }

/** Returns the scheduler's settings of a model. */
export function schedulerSettings(
  { model, revision, isPinned, isPreloaded, keepAliveMs: asked }: ModelEngine,
  server: ServerSettings,
): ModelSettings {
  const { engine: kind, type, upstream } = model.manifest
  const {
    parallel = 1,
    keepAliveMs: usual = Number.POSITIVE_INFINITY,
    maxWaiting = Number.POSITIVE_INFINITY,
  } = settingsOf(model.manifest, server)
  const sideBySide = upstream === undefined ? parallel : upstream.endpoints.length * upstream.maxConcurrent
  const isInServer = engineTable[kind].runs === 'in-server'
  const keepAliveMs = asked ?? usual
  const fileBytes = Object.values(model.filePaths).reduce(
    (sum, path) => sum + (statSync(path, { throwIfNoEntry: false })?.size ?? 0),
    0,
  )
  return {
    id: model.manifest.id,
    revision,
    ...(batchesTexts(type) && upstream === undefined
      ? textPlaces
      : { parallel: sideBySide, places: placesPerSlot * sideBySide }),
    maxWaiting,
    pinned: isPinned,
    // A model that takes no memory is loaded once it appears, and stays loaded.
    preload: isPreloaded || isInServer,
    overlaps: isInServer,
    ...(keepAliveMs !== Number.POSITIVE_INFINITY && { keepAliveMs }),
    loadMs: guess.startMs + fileBytes / guess.bytesPerMs,
  }
}

function batchesTexts(type: ModelType): boolean {
  return Object.values(kindsOfWork).some(
    ({ modelTypes, waiting }) => waiting === 'by-engine' && modelTypes.includes(type),
  )
}

type ServerSettings = Parameters<typeof settingsOf>[1]
