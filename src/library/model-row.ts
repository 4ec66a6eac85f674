/** A model as the operator's pages list it. */
import type { CatalogEntry } from '../catalog/catalog.ts'
import type { LocatedFile } from '../catalog/locate-files.ts'
import type { ModelManifest, ModelStatus, Pricing } from '../core/model.ts'
import { engineTable } from '../engines/engine-table.ts'
import type { EngineStatus } from '../engines/model-engine.ts'
import type { MemoryBytes } from '../core/memory.ts'
import { diskBytes } from './disk-bytes.ts'
import { type Fit, fitOf, guessNeed, type MemoryNeed, type PoolRoom } from './fit.ts'
import type { PullState } from './pull-state.ts'

export interface ModelRow extends Pick<ModelManifest, 'id' | 'type' | 'engine' | 'license' | 'contextLength'> {
  readonly aliases: readonly string[]
  /** Of its files: `ready`, `available` (not here), `downloading`, `broken`. */
  readonly status: ModelStatus['kind']
  /** Why it is broken. */
  readonly reason: string | undefined
  /** It comes with the program. */
  readonly isCarried: boolean
  /** On this disk. */
  readonly diskBytes: number
  /** What a download fetches; undefined where that is not known. */
  readonly downloadBytes: number | undefined
  readonly engineState: EngineStatus['state']
  readonly loadedFraction: number | undefined
  readonly running: number
  /** Slots; undefined while it is not loaded. */
  readonly parallel: number | undefined
  readonly waiting: number
  /** Why it could not be loaded, or its process ended, the last time. */
  readonly failure: string | undefined
  /** What it has of each memory now, or will need; undefined where nothing is known, and of upstream models. */
  readonly memory: MemoryNeed | undefined
  /** Undefined while it is loaded, and where nothing is known. */
  readonly fit: Fit | undefined
  /** Undefined: nobody has set any; it serves unmetered accounts alone. */
  readonly pricing: Pricing | undefined
  /** How far a download is, also one of a command; undefined while none runs. */
  readonly downloading: { readonly doneBytes: number; readonly totalBytes: number } | undefined
  /** The server's own download that runs, or ended last. */
  readonly pull: PullState | undefined
  /** What is here of a download that was stopped, as by the end of the server; the next one goes on with it. */
  readonly stoppedBytes: number | undefined
}

export interface RowFacts {
  readonly files: readonly LocatedFile[]
  readonly engine: EngineStatus | undefined
  /** As it was measured the last time; undefined: never. */
  readonly measured: MemoryBytes | undefined
  readonly rooms: readonly PoolRoom[]
  readonly pull: PullState | undefined
  /** In parts of files. */
  readonly partBytes: number | undefined
}

export function modelRow({ manifest, status }: CatalogEntry, facts: RowFacts): ModelRow {
  const { id, type, engine, license, contextLength, aliases, pricing } = manifest
  const { files, engine: engineStatus, rooms, pull } = facts
  const isCarried = files.length > 0 && files.every((file) => file.isCarried)
  const here = diskBytes(files)
  const download = downloadBytesOf(manifest)
  const memory = needOf(manifest, facts, here > 0 ? here : download)
  const isLoaded = engineStatus !== undefined && Object.keys(engineStatus.reservedBytes).length > 0
  return {
    ...{ id, type, engine, license, contextLength, pricing, isCarried, memory, pull },
    aliases: aliases.map((alias) => alias.id),
    status: status.kind,
    reason: status.kind === 'broken' ? status.reason : undefined,
    downloading:
      status.kind === 'downloading' ? { doneBytes: status.doneBytes, totalBytes: status.totalBytes } : undefined,
    diskBytes: here,
    downloadBytes: download,
    stoppedBytes: status.kind === 'available' && facts.partBytes !== undefined ? here + facts.partBytes : undefined,
    engineState: engineStatus?.state ?? 'stopped',
    loadedFraction: engineStatus?.loadedFraction,
    running: engineStatus?.running ?? 0,
    parallel: engineStatus?.info?.parallel,
    waiting: engineStatus?.waiting ?? 0,
    failure: engineStatus?.failedLoad ?? engineStatus?.lastExit,
    fit: isLoaded || memory === undefined ? undefined : fitOf(memory, rooms),
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
  if (status?.measuredBytes !== undefined) return { bytes: status.measuredBytes, source: 'measured' }
  if (measured !== undefined) return { bytes: measured, source: 'measured' }
  if (status?.estimatedBytes !== undefined) return { bytes: status.estimatedBytes, source: 'estimated' }
  if (fileBytes === undefined || fileBytes === 0) return undefined
  return guessNeed(fileBytes, rooms, 'device' in engineTable[engine].settings)
}
