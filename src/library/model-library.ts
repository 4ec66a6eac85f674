/** Models of this disk and of the catalog, as the operator of the running server sees and changes them. */
import type { Catalog } from '../catalog/catalog.ts'
import type { ManifestProblem } from '../catalog/join-manifests.ts'
import { modelFolder } from '../catalog/locate-files.ts'
import type { Config } from '../config/config.ts'
import type { MemoryBytes } from '../core/memory.ts'
import type { PoolReport } from '../engines/pool.ts'
import type { MemoryReadings, ReadMemory } from '../machine/read-memory.ts'
import type { PoolSettings } from '../scheduler/settings.ts'
import { chunkBytes } from '../store/chunk-sum.ts'
import { folderFiles } from '../store/cleanup/folder-files.ts'
import { notePath, partSuffix } from '../store/download/part-file.ts'
import { notedChunks } from '../store/download/part-note.ts'
import { readDiskRoom } from '../store/pull/disk-room.ts'
import { downloadFit, type Fit, type PoolRoom, poolRooms } from './fit.ts'
import { type ListedModel, toListedModel } from './listed-model.ts'
import { toModelDetails } from './model-details.ts'
import { licenseOf, type PullJobs, type PullRequest, type RefusedPull, type ShownLicense } from './pull-jobs.ts'
import { mayUseDevices, recommendedModels } from './recommended-models.ts'
import { type RemovalProblem, type RemovedModel, removalProblem, removeModel } from './remove-model.ts'

interface ModelLibraryOptions {
  readonly config: Config
  readonly catalog: Catalog
  readonly pulls: PullJobs
  readonly report: () => PoolReport
  readonly readMemory: ReadMemory
  readonly poolSettings: PoolSettings
  /** Returns the memory measured at each model's last load. */
  readonly measured: () => ReadonlyMap<string, MemoryBytes>
  /** Completes the commands in a text, so that they reach this server. */
  readonly complete: (text: string) => string
}

interface ModelList {
  /** `isRecommended`: the model to take for its purpose on this machine. */
  readonly models: readonly (ListedModel & { readonly isRecommended: boolean })[]
  /** The operator's manifests that are left out of the catalog. */
  readonly problems: readonly ManifestProblem[]
  readonly memory: readonly PoolRoom[]
}

interface PullOutlook {
  readonly kind: 'outlook'
  readonly model: string
  /** Bytes still to be downloaded. */
  readonly bytes: number
  readonly freeDiskBytes: number
  /** Guess whether the model fits into memory. Undefined if nothing is known. */
  readonly fit: Fit | undefined
  readonly license: ShownLicense | undefined
}

/** Time for which a reading of the devices is reused, in milliseconds. */
const readingMs = 5_000

export class ModelLibrary {
  readonly #options: ModelLibraryOptions
  #reading: { readonly atMs: number; readonly readings: Promise<MemoryReadings> } | undefined

  constructor(options: ModelLibraryOptions) {
    this.#options = options
  }

  get pulls(): PullJobs {
    return this.#options.pulls
  }

  async list(): Promise<ModelList> {
    const { catalog, complete } = this.#options
    const rowOf = await this.#rows()
    const problems = catalog.problems().map((problem) => ({ ...problem, reason: complete(problem.reason) }))
    const rows = catalog.entries().map(rowOf)
    const recommended = recommendedModels(rows, rowOf.rooms)
    const models = rows.map((row) => ({ ...row, isRecommended: recommended.has(row.id) }))
    return { models, problems, memory: rowOf.rooms }
  }

  /** Returns a model's details; undefined for an unknown id or alias. */
  async show(name: string) {
    const { catalog, config, report } = this.#options
    const entry = catalog.resolve(name)?.entry
    if (entry === undefined) return undefined
    const { models } = await this.list()
    const row = models.find(({ id }) => id === entry.manifest.id)
    const model = report().engines.find(({ modelId }) => modelId === entry.manifest.id)
    return row && { ...row, ...toModelDetails(entry, { catalog, config, model }) }
  }

  /** Returns the facts about a download before it begins. Asks the source if the catalog does not know its size. */
  async pullOutlook(asked: Omit<PullRequest, 'isForced'>): Promise<PullOutlook | RefusedPull> {
    const { catalog, config, pulls } = this.#options
    const { source, id } = asked
    const rowOf = await this.#rows()
    const { freeBytes: freeDiskBytes } = await readDiskRoom(config.data)
    const entry = id === undefined ? catalog.resolve(source)?.entry : undefined
    const row = entry && rowOf(entry)
    if (entry !== undefined && row?.downloadBytes !== undefined) {
      const bytes = Math.max(0, row.downloadBytes - (row.stoppedBytes ?? row.diskBytes))
      return { kind: 'outlook', model: row.id, bytes, freeDiskBytes, fit: row.fit, license: licenseOf(entry.manifest) }
    }
    const prepared = await pulls.prepare({ ...asked, isForced: true })
    if (prepared.kind !== 'prepared') return prepared
    const { model, missingBytes: bytes, engine } = prepared
    const fit = downloadFit(bytes, rowOf.rooms, engine !== undefined && mayUseDevices(engine))
    return { kind: 'outlook', model, bytes, freeDiskBytes, fit, license: prepared.shownLicense }
  }

  removalProblem(id: string): RemovalProblem | undefined {
    return this.#ownPull(id) ?? removalProblem(this.#removal(id))
  }

  async remove(id: string, unload: () => Promise<void>): Promise<RemovedModel | RemovalProblem> {
    return this.#ownPull(id) ?? (await removeModel({ ...this.#removal(id), unload }))
  }

  /** Returns the problem of a download by this server, which writes its note only some time after it begins. */
  #ownPull(id: string): RemovalProblem | undefined {
    return this.#options.pulls.isRunning(id) ? { kind: 'pull-running', pid: process.pid } : undefined
  }

  #removal(id: string) {
    const { catalog, config } = this.#options
    return { catalog, dataDir: config.data, id }
  }

  /** Returns the space in all memories. */
  async rooms(): Promise<readonly PoolRoom[]> {
    const { report, poolSettings } = this.#options
    return poolRooms(report(), await this.#readings(), poolSettings)
  }

  /** Returns a function that makes the row of a catalog entry, from facts that are read once for all rows. */
  async #rows() {
    const { catalog, config, report, measured, pulls, complete } = this.#options
    const rooms = await this.rooms()
    const engines = new Map(report().engines.map((engine) => [engine.modelId, engine]))
    const measuredBytes = measured()
    const pullsByModel = new Map(pulls.states().map((state) => [state.model, state]))
    const rowOf = (entry: Parameters<typeof toListedModel>[0]) => {
      const { id } = entry.manifest
      const facts = { model: engines.get(id), measured: measuredBytes.get(id), pull: pullsByModel.get(id) }
      const isAwaited = entry.status.kind === 'available' && !pulls.isRunning(id)
      const partBytes = isAwaited ? stoppedDownloadBytes(modelFolder(config.data, id)) : undefined
      const row = toListedModel(entry, { ...facts, rooms, partBytes, files: catalog.filesOf(id) })
      return { ...row, reason: row.reason === undefined ? undefined : complete(row.reason) }
    }
    return Object.assign(rowOf, { rooms })
  }

  #readings(): Promise<MemoryReadings> {
    const nowMs = performance.now()
    if (this.#reading === undefined || nowMs - this.#reading.atMs > readingMs)
      this.#reading = { atMs: nowMs, readings: this.#options.readMemory() }
    return this.#reading.readings
  }
}

/** Returns the bytes of unfinished downloads in a model's folder; undefined if there are none. */
function stoppedDownloadBytes(folder: string): number | undefined {
  const parts = folderFiles(folder).filter(({ name }) => name.endsWith(partSuffix))
  if (parts.length === 0) return undefined
  return parts.reduce((sum, { path, found }) => {
    const target = path.slice(0, -partSuffix.length)
    return sum + Math.min(found.size, notedChunks(notePath(target)) * chunkBytes)
  }, 0)
}
