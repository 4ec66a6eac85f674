import type { Command } from 'commander'
import type { CatalogEntry } from '../catalog/catalog.ts'
import { checkFolderIsOpen } from '../db/folder-owner.ts'
import type { Io } from './io.ts'
import { printJson } from './io.ts'
import { configOf, newCommand, wantsJson } from './options.ts'
import { formatTable } from './table.ts'

export function listCommand(io: Io): Command {
  const command = newCommand('list', 'list the models: ready, available in the catalog, or broken')
  return command.action(async () => {
    const { openCatalog } = await import('../app.ts')
    const { dataDir } = configOf(command, io)
    checkFolderIsOpen(dataDir)
    const catalog = openCatalog(dataDir)
    const entries = catalog.entries()
    for (const problem of catalog.problems()) io.error(`inferd: model left out: ${problem}\n`)
    if (wantsJson(command)) {
      printJson(io, entries.map(toJson))
      return
    }
    const cells = entries.map(({ manifest, status }) => [
      manifest.id,
      manifest.type,
      status.kind,
      manifest.contextLength === undefined ? '-' : String(manifest.contextLength),
      status.kind === 'broken' ? status.reason : manifest.aliases.map(({ id }) => id).join(' '),
    ])
    io.out(formatTable(['MODEL', 'TYPE', 'STATUS', 'CONTEXT', 'ALIASES'], cells))
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
