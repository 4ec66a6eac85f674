import { relative } from 'node:path'
import type { Command } from 'commander'
import type { CatalogEntry } from '../catalog/catalog.ts'
import type { ManifestProblem } from '../catalog/join-manifests.ts'
import { checkFolderIsOpen } from '../db/folder-owner.ts'
import { formatTable } from './format.ts'
import type { Io } from './io.ts'
import { configOf, newCommand } from './options.ts'
import { printAnswer } from './print-answer.ts'

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
      const cells = entries.map(({ manifest, status }) => [
        manifest.id,
        manifest.type,
        status.kind,
        manifest.contextLength === undefined ? '-' : String(manifest.contextLength),
        status.kind === 'broken' ? status.reason : manifest.aliases.map(({ id }) => id).join(' '),
      ])
      const problemCells = problems.map(({ file, reason }) => [relative(dataDir, file), '-', 'broken', '-', reason])
      return formatTable(['MODEL', 'TYPE', 'STATUS', 'CONTEXT', 'ALIASES'], [...cells, ...problemCells])
    })
  })
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
