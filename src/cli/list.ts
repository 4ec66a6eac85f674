import { relative } from 'node:path'
import type { Command } from 'commander'
import type { CatalogEntry } from '../catalog/catalog.ts'
import type { ManifestProblem } from '../catalog/join-manifests.ts'
import type { ModelStatus } from '../core/model.ts'
import { checkFolderIsOpen } from '../db/folder-owner.ts'
import { formatTable } from './format.ts'
import { type Io, printAnswer } from './io.ts'
import { configOf, newCommand } from './options.ts'

export function listCommand(io: Io): Command {
  const command = newCommand('list', 'list the models: ready, available in the catalog, or broken')
  return command.action(async () => {
    const { openCatalog } = await import('../catalog/open-catalog.ts')
    const { data: dataDir } = configOf(command, io)
    checkFolderIsOpen(dataDir)
    const catalog = openCatalog(dataDir)
    const entries = catalog.entries()
    const problems = catalog.problems()
    printAnswer(command, io, [...entries.map(toJson), ...problems.map(problemToJson)], () => {
      const models = entries.map(({ manifest, status }) => ({
        ...manifest,
        status: statusText(status),
        note: status.kind === 'broken' ? status.reason : manifest.aliases.map(({ id }) => id).join(' '),
      }))
      const broken = { type: '-', status: 'broken', contextLength: undefined }
      const unread = problems.map(({ file, reason }) => ({ ...broken, id: relative(dataDir, file), note: reason }))
      return formatTable([...models, ...unread], {
        MODEL: ({ id }) => id,
        TYPE: ({ type }) => type,
        STATUS: ({ status }) => status,
        CONTEXT: ({ contextLength }) => String(contextLength ?? '-'),
        ALIASES: ({ note }) => note,
      })
    })
  })
}

function statusText(status: ModelStatus): string {
  if (status.kind !== 'downloading') return status.kind
  return `downloading ${Math.floor((100 * status.doneBytes) / Math.max(status.totalBytes, 1))}%`
}

function toJson({ manifest, status, filePaths }: CatalogEntry): object {
  return {
    id: manifest.id,
    type: manifest.type,
    engine: manifest.engine,
    status: status.kind,
    reason: status.kind === 'broken' ? status.reason : null,
    context: manifest.contextLength ?? null,
    aliases: manifest.aliases.map(({ id }) => id),
    files: filePaths,
  }
}

/** A manifest that cannot be used: what it would describe is not known. */
function problemToJson({ file, reason }: ManifestProblem): object {
  return { id: null, type: null, status: 'broken', reason, manifest: file }
}
