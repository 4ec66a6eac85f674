/** A model as the operator's pages list it. */
import type { CatalogEntry } from '../catalog/catalog.ts'
import type { LocatedFile } from '../catalog/locate-files.ts'
import { type Download, downloadError, progressOf } from '../core/download.ts'
import type { MemoryBytes } from '../core/memory.ts'
import type { ModelManifest } from '../core/model.ts'
import { isInstalled, isLoaded } from '../core/model-counts.ts'
import type { ModelState } from '../core/model-state.ts'
import { diskBytes } from './disk-bytes.ts'
import { fitOf, guessNeed, type MemoryNeed, type PoolRoom } from './fit.ts'
import { mayUseDevices, purposeOf } from './recommended-models.ts'

interface ListedFacts {
  readonly files: readonly LocatedFile[]
  /** State of the model. Undefined if it was never started. */
  readonly model: ModelState | undefined
  /** Memory measured at the last load. Undefined if the model was never loaded. */
  readonly measured: MemoryBytes | undefined
  readonly rooms: readonly PoolRoom[]
  readonly pull: Download | undefined
  /** Bytes in partial files of a stopped download. */
  readonly partBytes: number | undefined
}

export type ListedModel = ReturnType<typeof toListedModel>

/** Returns a model's row in the operator's list. */
export function toListedModel({ manifest, status }: CatalogEntry, facts: ListedFacts) {
  const { id, type, engine, why, license, contextLength, aliases, pricing } = manifest
  const { files, model, rooms } = facts
  const isCarried = files.length > 0 && files.every((file) => file.isCarried)
  const here = diskBytes(files)
  const download = downloadBytesOf(manifest)
  const memory = needOf(manifest, facts, here > 0 ? here : download)
  const reserved = model !== undefined && Object.keys(model.reservedBytes).length > 0 ? model.reservedBytes : undefined
  return {
    /**
     * `isCarried`: the model comes with the program. `memory`: used now, at the last load, or needed; undefined for
     * upstream models.
     */
    ...{ id, type, engine, why, license, contextLength, pricing, isCarried, memory },
    purpose: purposeOf(manifest),
    /** True if the licence must be accepted before a download. */
    acceptLicense: manifest.acceptLicense === true,
    /** The server's own running or last download of the model. */
    pull: facts.pull && toListedDownload(facts.pull),
    aliases: aliases.map((alias) => alias.id),
    status: status.kind,
    reason: status.kind === 'broken' ? status.reason : undefined,
    /** Progress of a running download, including one by a command. */
    downloading:
      status.kind === 'downloading' ? { doneBytes: status.doneBytes, totalBytes: status.totalBytes } : undefined,
    diskBytes: here,
    /** Bytes that a download fetches. Undefined if unknown. */
    downloadBytes: download,
    /** Bytes on this disk of a stopped download, which the next one keeps. */
    stoppedBytes: status.kind === 'available' && facts.partBytes !== undefined ? here + facts.partBytes : undefined,
    isInstalled: isInstalled(status.kind),
    isLoaded: isLoaded(model?.state ?? 'stopped'),
    engineState: model?.state ?? 'stopped',
    reserved,
    loadedFraction: model?.loadedFraction,
    running: model?.running ?? 0,
    parallel: model?.info?.parallel,
    waiting: model?.waiting ?? 0,
    failure: model?.failedLoad ?? model?.lastExit,
    /** Fit of the model into free memory. Undefined while it is loaded. */
    fit: reserved !== undefined || memory === undefined ? undefined : fitOf(memory, rooms),
  }
}

/** Returns the download's state in the operator's list of models. */
function toListedDownload(download: Download) {
  const { model, state, startedMs } = download
  const { doneBytes, totalBytes, rate, open } = progressOf(download)
  return {
    ...{ model, state, phase: open?.phase, file: open?.name, doneBytes, totalBytes, rate },
    remainingSeconds: rate === undefined ? undefined : Math.ceil((totalBytes - doneBytes) / rate),
    ...{ trouble: open?.trouble, error: downloadError(download), startedMs },
    endedMs: 'endedMs' in download ? download.endedMs : undefined,
  }
}

function downloadBytesOf({ files }: ModelManifest): number | undefined {
  const sizes = files.flatMap(({ sizeBytes }) => sizeBytes ?? [])
  return files.length === 0 || sizes.length < files.length ? undefined : sizes.reduce((sum, bytes) => sum + bytes, 0)
}

function needOf(
  { engine, upstream }: ModelManifest,
  { model, measured, rooms }: ListedFacts,
  fileBytes: number | undefined,
): MemoryNeed | undefined {
  if (upstream !== undefined) return undefined
  if (model?.usedBytes !== undefined) return { bytes: model.usedBytes, source: 'measured' }
  if (measured !== undefined) return { bytes: measured, source: 'measured' }
  if (model?.estimatedBytes !== undefined) return { bytes: model.estimatedBytes, source: 'estimated' }
  if (fileBytes === undefined || fileBytes === 0) return undefined
  return guessNeed(fileBytes, rooms, mayUseDevices(engine))
}
