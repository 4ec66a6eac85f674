import { existsSync } from 'node:fs'
import { join, relative } from 'node:path'
import type { Command } from 'commander'
import type { CatalogEntry } from '../catalog/catalog.ts'
import type { ManifestProblem } from '../catalog/join-manifests.ts'
import { errorText } from '../core/error-text.ts'
import type { ModelManifest } from '../core/model.ts'
import { isInstalled } from '../core/model-counts.ts'
import type { FilesState } from '../core/model-state.ts'
import { printableLine } from '../core/printable.ts'
import { sizeText } from '../core/quantities.ts'
import type { UpstreamServers } from '../core/upstream.ts'
import { checkFolderIsOpen } from '../db/folder-owner.ts'
import { diskBytes } from '../library/disk-bytes.ts'
import { type Columns, formatTable, minuteOf } from './format.ts'
import { type Io, printAnswer } from './io.ts'
import { fitWord, type KnownFit, readKnownFits } from './known-fits.ts'
import { configOf, newCommand } from './options.ts'
import { actorOf, operationTarget, perform } from './perform.ts'

export function listCommand(io: Io): Command {
  const command = newCommand('list', 'list the models: installed, available in the catalog, downloading or broken')
  return command.action(async () => {
    const { openCatalog } = await import('../catalog/open-catalog.ts')
    const { data: dataDir } = configOf(command, io)
    checkFolderIsOpen(dataDir)
    const catalog = openCatalog(dataDir)
    const [lastUses, fits] = await Promise.all([
      readLastUses(command, io, dataDir),
      readKnownFits(dataDir, actorOf(io)),
    ])
    const entries = catalog.entries().map((entry) => ({
      ...entry,
      bytes: diskBytes(catalog.filesOf(entry.manifest.id)),
      lastUsedMs: lastUses[entry.manifest.id] ?? null,
      fit: fits.get(entry.manifest.id),
    }))
    const problems = catalog.problems()
    printAnswer(command, io, [...entries.map(toJson), ...problems.map(problemToJson)], () => {
      const models = entries.map(({ manifest, status, bytes, lastUsedMs, fit }) => ({
        ...manifest,
        size: sizeOf(manifest, bytes),
        fit: fitWord(fit),
        lastUse: minuteOf(lastUsedMs),
        status: statusText(status),
        alias: manifest.aliases.map(({ id }) => id).join(' '),
      }))
      const broken = {
        type: '-',
        status: 'broken',
        size: '-',
        fit: '-',
        lastUse: '-',
        contextLength: undefined,
        alias: '',
      }
      const unread = problems.map(({ file, reason }) => ({ id: relative(dataDir, file), reason }))
      const reasons = [...entries.flatMap(brokenModel), ...unread].map(
        ({ id, reason }) => `${printableLine(`${id}: ${reason}`)}\n`,
      )
      const columns: Columns<ListedRow> = {
        MODEL: ({ id }) => id,
        TYPE: ({ type }) => type,
        STATUS: ({ status }) => status,
        SIZE: ({ size }) => size,
        ...(fits.size > 0 && { FIT: ({ fit }: ListedRow) => fit }),
        CONTEXT: ({ contextLength }) => String(contextLength ?? '-'),
        'LAST USE': ({ lastUse }) => lastUse,
        ALIASES: ({ alias }) => alias,
      }
      const table = formatTable([...models, ...unread.map(({ id }) => ({ ...broken, id }))], columns, { spare: 3 })
      return reasons.length === 0 ? table : io.hint(`${table}\n${reasons.join('')}`)
    })
  })
}

interface ListedRow extends Readonly<Record<'id' | 'type' | 'status' | 'size' | 'fit' | 'lastUse' | 'alias', string>> {
  readonly contextLength?: number | undefined
}

function brokenModel({ manifest: { id }, status }: CatalogEntry) {
  return status.kind === 'broken' ? [{ id, reason: status.reason }] : []
}

function statusText(status: FilesState): string {
  if (isInstalled(status.kind)) return 'installed'
  if (status.kind !== 'downloading') return status.kind
  return `downloading ${Math.floor((100 * status.doneBytes) / Math.max(status.totalBytes, 1))}%`
}

/** Returns the model's size on this disk, or the size of its download if it is not here. */
function sizeOf({ files }: ModelManifest, bytes: number): string {
  const toPull = files.reduce((sum, { sizeBytes }) => sum + (sizeBytes ?? Number.NaN), 0)
  if (bytes > 0) return sizeText(bytes)
  return toPull > 0 ? sizeText(toPull) : '-'
}

/**
 * Returns the last uses. Empty without a database, or with one of an older version: the models can be listed
 * nevertheless.
 */
async function readLastUses(command: Command, io: Io, dataDir: string): Promise<Readonly<Record<string, number>>> {
  if (!existsSync(join(dataDir, 'inferd.db'))) return {}
  return perform(operationTarget(command, io), 'usage-last', {}).catch((error: unknown) => {
    io.error(`inferd: the last uses are not known: ${errorText(error)}\n`)
    return {}
  })
}

interface Listed extends CatalogEntry {
  readonly bytes: number
  readonly lastUsedMs: number | null
  /** Undefined if no server runs. */
  readonly fit: KnownFit | undefined
}

function toJson({ manifest, status, filePaths, bytes, lastUsedMs, checkedAtMs, fit }: Listed): object {
  return {
    id: manifest.id,
    type: manifest.type,
    engine: manifest.engine,
    status: status.kind,
    isInstalled: isInstalled(status.kind),
    reason: status.kind === 'broken' ? status.reason : null,
    context: manifest.contextLength ?? null,
    aliases: manifest.aliases.map(({ id }) => id),
    files: filePaths,
    capabilities: manifest.capabilities,
    ...(manifest.upstream && { servers: { ...serversOf(manifest.upstream), checkedAtMs: checkedAtMs ?? null } }),
    bytes,
    lastUsedMs,
    fit: fit?.verdict ?? null,
    isRecommended: fit?.isRecommended ?? null,
  }
}

/** Returns the servers of an upstream model, without their key. */
function serversOf({ flavor, model, endpoints, lacks = [] }: UpstreamServers): object {
  return { flavor, model, endpoints, lacks }
}

/** Returns the row of an unusable manifest, whose model is unknown. */
function problemToJson({ file, reason }: ManifestProblem): object {
  return { id: null, type: null, status: 'broken', isInstalled: false, reason, manifest: file }
}
