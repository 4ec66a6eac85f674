/** Models on disks of this machine, outside the data folder, at a path that the operator names. Lists no folder. */
import { existsSync, statSync } from 'node:fs'
import { basename, dirname, isAbsolute, join } from 'node:path'
import type { Catalog } from '../catalog/catalog.ts'
import { modelFolder } from '../catalog/locate-files.ts'
import { isModelId } from '../catalog/manifest-schema.ts'
import { FileError } from '../catalog/stat-file.ts'
import type { Config } from '../config/config.ts'
import { errorText } from '../core/error-text.ts'
import { openArchive } from '../store/archive/open-archive.ts'
import { manifestName } from '../store/bundle/layout.ts'
import { bundleAt } from '../store/bundle/medium.ts'
import { readTrusted } from '../store/bundle/trust.ts'
import { detectModel } from '../store/import/detect.ts'
import { type ImportOptions, importModel } from '../store/import/import-model.ts'
import { readSource } from '../store/import/read-source.ts'
import { promisedToOthers, readDiskRoom, roomProblem } from '../store/pull/disk-room.ts'
import { downloadFit, type Fit, type PoolRoom } from './fit.ts'
import { importPlace } from './import-place.ts'
import type { PullJobs } from './pull-jobs.ts'
import { mayUseDevices } from './recommended-models.ts'

interface DiskModelsOptions {
  readonly config: Config
  readonly catalog: Catalog
  readonly pulls: PullJobs
  /** Returns the space in all memories. */
  readonly rooms: () => Promise<readonly PoolRoom[]>
  /** Returns the probe of an import, which tries the model before it appears. */
  readonly probe: (signal: AbortSignal) => ImportOptions['probe']
}

/** Reason why a path holds nothing that can be taken, or why it is not taken. */
interface DiskFailure {
  readonly kind: 'failure'
  readonly reason: string
}

interface FoundModel {
  readonly kind: 'model'
  /** In a few words. */
  readonly description: string
  readonly bytes: number
  /** Free id for it on this server. */
  readonly id: string
  /** Guess whether it fits into memory. Undefined if unknown, as of an archive. */
  readonly fit: Fit | undefined
  readonly freeDiskBytes: number
}

interface FoundBundle {
  readonly kind: 'bundle'
  /** Creation time in UTC, YYYYMMDDhhmmss. */
  readonly serial: number
  readonly models: readonly { readonly id: string; readonly bytes: number; readonly isHere: boolean }[]
}

/** An import that is ready to begin. */
interface PreparedImport {
  readonly kind: 'prepared'
  readonly bytes: number
  /** Begins it as a download of the model. Returns false if one runs. */
  readonly start: () => boolean
}

export class DiskModels {
  readonly #options: DiskModelsOptions

  constructor(options: DiskModelsOptions) {
    this.#options = options
  }

  /** Returns the model or the bundle at a path. A bundle must be signed by a key that the settings trust. */
  async find(path: string): Promise<FoundModel | FoundBundle | DiskFailure> {
    try {
      requireAbsolute(path)
      const isFolder = statSync(path, { throwIfNoEntry: false })?.isDirectory() === true
      if (isFolder && existsSync(join(bundleAt(path), manifestName))) return await this.#bundle(bundleAt(path))
      const { description, bytes, engine } = sourceAt(path)
      const fit = engine && downloadFit(bytes, await this.#options.rooms(), mayUseDevices(engine))
      const { freeBytes: freeDiskBytes } = await readDiskRoom(this.#options.config.data)
      return { kind: 'model', description, bytes, id: this.#freeId(path), fit, freeDiskBytes }
    } catch (error) {
      return failureOf(error)
    }
  }

  /** Checks an import of what is at the path. Its files are linked or copied. Writes nothing. */
  async prepare(path: string, id: string): Promise<PreparedImport | DiskFailure> {
    const { config, catalog, pulls } = this.#options
    const { data: dataDir } = config
    try {
      requireAbsolute(path)
      if (!isModelId(id)) throw new FileError(`"${id}" is no id: it must be org/name of letters, digits and ._-`)
      const { bytes, engine } = sourceAt(path)
      const place = importPlace(catalog, { dataDir, id, aliases: [], isForced: false })
      if (place.kind === 'taken') throw new FileError(place.reason)
      const need = { missingBytes: bytes, largestFileBytes: bytes, promisedBytes: promisedToOthers(dataDir, []) }
      // Files of the same file system are linked, and an archive is unpacked.
      const isLinked = engine !== undefined && statSync(path).dev === statSync(dataDir).dev
      const problem = isLinked ? undefined : roomProblem(need, await readDiskRoom(dataDir))
      if (problem !== undefined) throw new FileError(problem)
      const known = place.known
      const start = () =>
        pulls.begin(id, bytes, async (signal, onProgress) => {
          const startedMs = performance.now()
          const onBytes = (done: number, totalBytes: number) => {
            const rate = (done * 1_000) / Math.max(1, performance.now() - startedMs)
            onProgress({ phase: 'download', name: basename(path), bytes: done, totalBytes, rate })
          }
          const request = { path, id, dataDir, isInPlace: false, known, aliases: [], signal, onBytes }
          await importModel({ ...request, probe: this.#options.probe(signal) })
        })
      return { kind: 'prepared', bytes, start }
    } catch (error) {
      return failureOf(error)
    }
  }

  async #bundle(root: string): Promise<FoundBundle> {
    const { config, catalog } = this.#options
    const { manifest } = await readTrusted(root, { kind: 'keys', keys: config.bundleKeys })
    const models = manifest.models.map(({ id, files }) => ({
      id,
      bytes: files.reduce((sum, file) => sum + file.bytes, 0),
      isHere: catalog.resolve(id)?.entry.status.kind === 'ready',
    }))
    return { kind: 'bundle', serial: manifest.serial, models }
  }

  #freeId(path: string): string {
    const { catalog, config } = this.#options
    const plain = (name: string) => name.replace(/[^\w.-]+/g, '-').replace(/^[^A-Za-z0-9]+/, '')
    const name = plain(basename(path).replace(/(-\d{5}-of-\d{5})?\.gguf$|\.(tar|tgz)(\.\w+)?$/i, ''))
    const org = plain(basename(dirname(path)))
    const ids = [`${org}/${name}`, `local/${name}`].filter(isModelId)
    const isFree = (id: string) => catalog.resolve(id) === undefined && !existsSync(modelFolder(config.data, id))
    return ids.find(isFree) ?? ids.at(-1) ?? 'local/model'
  }
}

/** Returns the reason for a page, without the clauses that name flags of a command. */
function failureOf(error: unknown): DiskFailure {
  return { kind: 'failure', reason: errorText(error).replaceAll(/[;,:][^;,:]* --[a-z][^;,]*/g, '') }
}

function requireAbsolute(path: string): void {
  if (!isAbsolute(path))
    throw new FileError(`${path} does not begin at the root: write the whole path, as /media/disk/…`)
}

/** Returns what an import would take. Throws FileError and ImportError. An archive is looked into when it is imported. */
function sourceAt(path: string) {
  const found = statSync(path, { throwIfNoEntry: false })
  if (found === undefined) throw new FileError(`${path} does not exist`)
  if (found.isFile() && isArchive(path)) return { description: 'an archive', bytes: found.size, engine: undefined }
  const { description, files, manifest } = detectModel(readSource(path), {
    ...{ type: undefined, mmproj: undefined, mtp: undefined },
  })
  const bytes = files.reduce((sum, file) => sum + statSync(file.path).size, 0)
  return { description, bytes, engine: manifest.engine }
}

function isArchive(path: string): boolean {
  try {
    return openArchive(path) !== undefined
  } catch (error) {
    throw error instanceof FileError ? new FileError(`${path} ${error.message}`) : error
  }
}
