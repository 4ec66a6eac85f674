/** A model as the operator's pages list it. */
import type { CatalogEntry } from '../catalog/catalog.ts'
import type { LocatedFile } from '../catalog/locate-files.ts'
import { type Download, downloadError, progressOf } from '../core/download.ts'
import type { MemoryBytes } from '../core/memory.ts'
import type { ModelManifest, ModelStatus, Pricing } from '../core/model.ts'
import { isInstalled, isLoaded } from '../core/model-counts.ts'
import type { ModelState } from '../core/model-state.ts'
import { engineTable } from '../engines/engine-table.ts'
import { diskBytes } from './disk-bytes.ts'
import { type Fit, fitOf, guessNeed, type MemoryNeed, type PoolRoom } from './fit.ts'

export interface ModelRow extends Pick<ModelManifest, 'id' | 'type' | 'engine' | 'license' | 'contextLength'> {
  readonly aliases: readonly string[]
  /** State of its files: `ready`, `available` (not here), `downloading`, `broken`. */
  readonly status: ModelStatus['kind']
  /** Reason why it is broken. */
  readonly reason: string | undefined
  /** True if it comes with the program. */
  readonly isCarried: boolean
  /** On this disk. */
  readonly diskBytes: number
  /** Bytes that a download fetches; undefined if that is not known. */
  readonly downloadBytes: number | undefined
  /** See core/model-counts.ts. */
  readonly isInstalled: boolean
  readonly isLoaded: boolean
  readonly engineState: ModelState['state']
  readonly loadedFraction: number | undefined
  readonly running: number
  /** Slots; undefined while it is not loaded. */
  readonly parallel: number | undefined
  readonly waiting: number
  /** Reason of the last failed load or unexpected end of its process. */
  readonly failure: string | undefined
  /** Memory that it uses now, used when it was loaded last, or will need; undefined if nothing is known, and of upstream models. */
  readonly memory: MemoryNeed | undefined
  /** Memory that is kept for it while it is loaded. */
  readonly reserved: MemoryBytes | undefined
  /** Undefined while it is loaded, and where nothing is known. */
  readonly fit: Fit | undefined
  /** Prices. Undefined if none are set: it then serves only unmetered accounts. */
  readonly pricing: Pricing | undefined
  /** Progress of a download, also one of a command; undefined while none runs. */
  readonly downloading: { readonly doneBytes: number; readonly totalBytes: number } | undefined
  /** The server's own download that runs, or ended last. */
  readonly pull: ListedDownload | undefined
  /** Bytes here of a download that was stopped, as by the end of the server; the next one goes on with them. */
  readonly stoppedBytes: number | undefined
}

export interface RowFacts {
  readonly files: readonly LocatedFile[]
  readonly engine: ModelState | undefined
  /** Memory as it was measured the last time; undefined before the first. */
  readonly measured: MemoryBytes | undefined
  readonly rooms: readonly PoolRoom[]
  readonly pull: Download | undefined
  /** Bytes in parts of files. */
  readonly partBytes: number | undefined
}

export function modelRow({ manifest, status }: CatalogEntry, facts: RowFacts): ModelRow {
  const { id, type, engine, license, contextLength, aliases, pricing } = manifest
  const { files, engine: modelState, rooms } = facts
  const isCarried = files.length > 0 && files.every((file) => file.isCarried)
  const here = diskBytes(files)
  const download = downloadBytesOf(manifest)
  const memory = needOf(manifest, facts, here > 0 ? here : download)
  const hasMemory = modelState !== undefined && Object.keys(modelState.reservedBytes).length > 0
  return {
    ...{
      id,
      type,
      engine,
      license,
      contextLength,
      pricing,
      isCarried,
      memory,
      pull: facts.pull && toListedDownload(facts.pull),
    },
    aliases: aliases.map((alias) => alias.id),
    status: status.kind,
    reason: status.kind === 'broken' ? status.reason : undefined,
    downloading:
      status.kind === 'downloading' ? { doneBytes: status.doneBytes, totalBytes: status.totalBytes } : undefined,
    diskBytes: here,
    downloadBytes: download,
    stoppedBytes: status.kind === 'available' && facts.partBytes !== undefined ? here + facts.partBytes : undefined,
    isInstalled: isInstalled(status.kind),
    isLoaded: isLoaded(modelState?.state ?? 'stopped'),
    engineState: modelState?.state ?? 'stopped',
    reserved: hasMemory ? modelState?.reservedBytes : undefined,
    loadedFraction: modelState?.loadedFraction,
    running: modelState?.running ?? 0,
    parallel: modelState?.info?.parallel,
    waiting: modelState?.waiting ?? 0,
    failure: modelState?.failedLoad ?? modelState?.lastExit,
    fit: hasMemory || memory === undefined ? undefined : fitOf(memory, rooms),
  }
}

type ListedDownload = ReturnType<typeof toListedDownload>

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
  { engine: status, measured, rooms }: RowFacts,
  fileBytes: number | undefined,
): MemoryNeed | undefined {
  if (upstream !== undefined) return undefined
  if (status?.usedBytes !== undefined) return { bytes: status.usedBytes, source: 'measured' }
  if (measured !== undefined) return { bytes: measured, source: 'measured' }
  if (status?.estimatedBytes !== undefined) return { bytes: status.estimatedBytes, source: 'estimated' }
  if (fileBytes === undefined || fileBytes === 0) return undefined
  return guessNeed(fileBytes, rooms, 'device' in engineTable[engine].settings)
}
