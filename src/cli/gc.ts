import type { Command } from 'commander'
import { sizeText } from '../core/quantities.ts'
import { checkFolderOwner } from '../db/folder-owner.ts'
import type { Garbage } from '../store/cleanup/garbage.ts'
import { formatTable } from './format.ts'
import { type Io, printAnswer } from './io.ts'
import { configOf, newCommand } from './options.ts'

export function gcCommand(io: Io): Command {
  const command = newCommand(
    'gc',
    'show files of models that nothing needs: old unfinished pulls, and what no lock lists',
  ).option('--yes', 'remove them')
  return command.action(async () => {
    const { data: dataDir } = configOf(command, io)
    checkFolderOwner(dataDir)
    const [{ openCatalog }, { findGarbage, removeGarbage }] = await Promise.all([
      import('../catalog/open-catalog.ts'),
      import('../store/cleanup/garbage.ts'),
    ])
    const catalog = openCatalog(dataDir)
    const ids = catalog.entries().map(({ manifest }) => manifest.id)
    const known = {
      ids: catalog.problems().length === 0 ? new Set(ids) : undefined,
      paths: new Set(ids.flatMap((id) => catalog.filesOf(id).map(({ path }) => path))),
    }
    const garbage = findGarbage(dataDir, known, Date.now())
    const isRemoved = command.getOptionValue('yes') === true
    if (isRemoved) removeGarbage(dataDir, garbage)
    const rows = garbage.map(({ path, reason, bytes }) => ({ path, reason, bytes, removed: isRemoved }))
    printAnswer(command, io, rows, () => io.hint(textOf(garbage, isRemoved)))
  })
}

function textOf(garbage: readonly Garbage[], isRemoved: boolean): string {
  if (garbage.length === 0) return 'There is nothing to remove.\n'
  const table = formatTable(garbage, {
    FILE: ({ path }) => `models/${path}`,
    SIZE: ({ bytes }) => sizeText(bytes),
    WHY: ({ reason }) => reason,
  })
  const bytes = garbage.reduce((sum, each) => sum + each.bytes, 0)
  return `${table}${isRemoved ? `${sizeText(bytes)} freed.` : `'inferd gc --yes' removes them and frees ${sizeText(bytes)}.`}\n`
}
