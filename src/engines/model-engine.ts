/** The server's record of one model's engine: its process, its waiting requests, and its history. */
import type { LoadTimes } from '../core/load-phases.ts'
import type { Placement } from '../core/memory.ts'
import type { InstalledModel, ModelType } from '../core/model.ts'
import type { EngineFailure, LoadFailure } from '../core/model-state.ts'
import { kindsOfWork } from '../core/work.ts'
import type { MemoryReadings } from '../machine/read-memory.ts'
import type { StopReason } from '../scheduler/effects.ts'
import type { ModelSettings } from '../scheduler/settings.ts'
import { DeadlyRequests } from './deadly-requests.ts'
import { engineTable } from './engine-table.ts'
import { guessedLoadMs } from './guessed-load.ts'
import { DeadlyParts } from './host/deadly-parts.ts'
import { keepLine, keptOf } from './host/exit-reason.ts'
import type { HostedEngine } from './host/hosted-engine.ts'
import type { SpareChild } from './host/spare-child.ts'
import type { LoadedAs } from './known-memory.ts'
import { memorySettingsOf, settingsOf } from './model-settings.ts'
import type { RuntimePaths } from './protocol/backend.ts'
import { SilentCrashes } from './silent-crashes.ts'

export class ModelEngine {
  /** Model for the next start. */
  model: InstalledModel
  /** Changes when an engine must load the model again. */
  revision: string
  isPinned = false
  isPreloaded = false
  /** Milliseconds that the process is kept without requests. Undefined if the last request did not set it. */
  keepAliveMs: number | undefined
  process: HostedEngine | undefined
  /** Placement of the process, with the need corrected by earlier loads. */
  placement: Placement | undefined
  startedAtMs = 0
  /** Share of the model that has been read, 0 to 1. Undefined if unknown. */
  loadedFraction: number | undefined
  /** Keys of placements that were loaded before with these devices and drivers. */
  loadedBefore: ReadonlySet<string> = new Set()
  /** True while a load may wait for the driver to compile kernels. */
  isCompiling = false
  /** Memory readings before the start. */
  readingsBefore: MemoryReadings = {}
  /** Estimated needs of the placements, by their keys. */
  estimates: ReadonlyMap<string, Placement> = new Map()
  /** Child left by the dry run, until the model's next load. */
  spare: SpareChild | undefined
  /** Duration of the last dry run, until it is included in a load's times. */
  dryRunMs: number | undefined
  /** Resolves when the process is gone. */
  gone: PromiseWithResolvers<void> | undefined
  /** Running estimate of the model's need, aborted once the model has another revision. */
  estimating: AbortController | undefined
  /** Backend for which the placements were estimated. Undefined before, and if there is no choice. */
  backend: string | undefined
  /** Paths and backends of its last estimate. */
  runtime: RuntimePaths | undefined
  /** Number of backend changes. An estimate is valid only for the backend that it was made for. */
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
    deadlyParts: new DeadlyParts(),
    deadlyRequests: new DeadlyRequests(),
  }

  constructor(model: InstalledModel, revision: string) {
    this.model = model
    this.revision = revision
  }

  /** Returns the model with its load settings: restricted to the CPU if its engines crashed on a GPU. */
  get loaded(): InstalledModel {
    if (!this.silentCrashes.keepsOffGpu) return this.model
    const { manifest } = this.model
    return { ...this.model, manifest: { ...manifest, settings: { ...manifest.settings, device: 'cpu' } } }
  }

  get id(): string {
    return this.model.manifest.id
  }

  /** Records a line of the process's stderr. */
  noteLine(line: string): void {
    keepLine(this.history.lines, line)
  }

  noteFailure(reason: string): void {
    this.history.lastFailure = { atMs: Date.now(), reason, lines: keptOf(this.history.lines) }
  }
}

interface EngineHistory {
  starts: number
  /** Last stderr lines since the engine's start. */
  lines: string[]
  lastFailure?: EngineFailure
  /** Completed loads. */
  loads: number
  /** Phases of the last load. */
  loadTimes?: LoadTimes
  /** Reason of the process's last unrequested end. */
  lastExit?: string
  /** Reason of the last failed load. Undefined if it succeeded, or was not tried. */
  failedLoad?: { readonly code: LoadFailure; readonly reason: string } | undefined
  /** True after a load killed its child: later loads leave out the optimizations that may have caused it. */
  isCautious: boolean
  readonly deadlyParts: DeadlyParts
  readonly deadlyRequests: DeadlyRequests
  /** Number of stops by the scheduler, by reason. */
  stops: { [Reason in StopReason]?: number }
}

/**
 * Returns a text that changes with every input of the model's engine. Fields that only the server reads do not count.
 * `backendChanges`: number of backend changes.
 */
export function revisionOf({ manifest, ...files }: InstalledModel, server: ServerSettings, backendChanges = 0): string {
  const { aliases, pricing, license, licenseUrl, acceptLicense, noncommercial, capabilities, defaults, ...rest } =
    manifest
  const { files: origins, settings, ...loaded } = rest // `filePaths` covers the origins of the files
  const text = JSON.stringify([loaded, settingsOf(manifest, server), files])
  return backendChanges === 0 ? text : `${text} after ${backendChanges} backends`
}

/**
 * Returns whether two models are the same. Compares objects: the catalog reuses a model's parts while nothing changes.
 */
export function isSameModel(known: InstalledModel, model: InstalledModel): boolean {
  return (
    known.manifest === model.manifest &&
    known.filePaths === model.filePaths &&
    known.filesVersion === model.filesVersion
  )
}

/** Returns the key under which the model's memory is remembered. */
export function loadedAs({ manifest, filesVersion = '' }: InstalledModel, server: ServerSettings): LoadedAs {
  const settings = memorySettingsOf(manifest, server)
  return { modelId: manifest.id, files: filesVersion, settings, engine: manifest.engine }
}

/** Parallel requests and places of models whose engine batches the texts of many requests. */
const textPlaces = { parallel: 32, places: 1024 }
/**
 * Places per slot of other models. The engine schedules its own queue between accounts, and must have the next request
 * at hand.
 */
const placesPerSlot = 2
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
  return {
    id: model.manifest.id,
    revision,
    ...(batchesTexts(type) && upstream === undefined
      ? textPlaces
      : { parallel: sideBySide, places: placesPerSlot * sideBySide }),
    maxWaiting,
    pinned: isPinned,
    // A model without memory needs is loaded once it appears, and stays loaded.
    preload: isPreloaded || isInServer,
    overlaps: isInServer,
    ...(keepAliveMs !== Number.POSITIVE_INFINITY && { keepAliveMs }),
    loadMs: guessedLoadMs(model),
  }
}

function batchesTexts(type: ModelType): boolean {
  return Object.values(kindsOfWork).some(
    ({ modelTypes, waiting }) => waiting === 'by-engine' && modelTypes.includes(type),
  )
}

type ServerSettings = Parameters<typeof settingsOf>[1]
