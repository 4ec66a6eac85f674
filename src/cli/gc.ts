import type { Command } from 'commander'
import { sizeText } from '../core/quantities.ts'
import { checkFolderOwner } from '../db/folder-owner.ts'
import { formatTable } from './format.ts'
import { type Io, printAnswer } from './io.ts'
import { configOf, newCommand } from './options.ts'

export function gcCommand(io: Io): Command {
  const command = newCommand(
    'gc',
    'show files that nothing needs: old unfinished pulls, what no lock lists, compiled CUDA kernels',
  ).option('--yes', 'remove them')
  return command.action(async () => {
    const { data: dataDir } = configOf(command, io)
    checkFolderOwner(dataDir)
    const [{ openCatalog }, { findGarbage, removeGarbage }, { findLeftovers, removeLeftovers }] = await Promise.all([
      import('../catalog/open-catalog.ts'),
      import('../store/cleanup/garbage.ts'),
      import('../nvidia/leftovers.ts'),
    ])
    const catalog = openCatalog(dataDir)
    const ids = catalog.entries().map(({ manifest }) => manifest.id)
    const known = {
      ids: catalog.problems().length === 0 ? new Set(ids) : undefined,
      paths: new Set(ids.flatMap((id) => catalog.filesOf(id).map(({ path }) => path))),
    }
    const garbage = findGarbage(dataDir, known, Date.now())
    const isRemoved = command.getOptionValue('yes') === true
    const leftovers = findLeftovers(dataDir, Date.now())
    if (isRemoved) {
      removeGarbage(dataDir, garbage)
      removeLeftovers(dataDir, leftovers)
    }
    const ofModels = garbage.map(({ path, reason, bytes }) => ({ path, reason, bytes, file: `models/${path}` }))
    const found = [...ofModels, ...leftovers.map((each) => ({ ...each, file: each.path }))]
    const rows = found.map((each) => ({ ...each, removed: isRemoved }))
    printAnswer(command, io, rows, () => io.hint(textOf(found, isRemoved)))
  })
}

interface Row {
  /** Path below the data folder. */
  readonly file: string
  readonly reason: string
  readonly bytes: number
}

function textOf(garbage: readonly Row[], isRemoved: boolean): string {
  if (garbage.length === 0) return 'There is nothing to remove.\n'
  const table = formatTable(garbage, {
    FILE: ({ file }) => file,
    SIZE: ({ bytes }) => sizeText(bytes),
    WHY: ({ reason }) => reason,
  })
  const bytes = garbage.reduce((sum, each) => sum + each.bytes, 0)
  return `${table}${isRemoved ? `${sizeText(bytes)} freed.` : `'inferd gc --yes' removes them and frees ${sizeText(bytes)}.`}\n`
}
