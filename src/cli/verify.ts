import type { Command } from 'commander'
import type { Catalog, CatalogEntry } from '../catalog/catalog.ts'
import { allFiles } from '../catalog/locate-files.ts'
import { sizeText } from '../core/quantities.ts'
import { checkFolderOwner } from '../db/folder-owner.ts'
import type { VerifiedModel } from '../store/verify/verify-model.ts'
import { findModel } from './find-model.ts'
import { count } from './format.ts'
import { CommandError, type Io, printAnswer } from './io.ts'
import { configOf, newCommand } from './options.ts'
import { showRead } from './show-read.ts'
import { stoppable } from './stoppable.ts'

export function verifyCommand(io: Io): Command {
  const command = newCommand(
    'verify',
    'read the files of models and compare them with the sums in their locks',
  ).argument('[model...]', 'ids of models; all that are on this disk, if none is named')
  return command.action(async (ids: string[]) => {
    const { data: dataDir } = configOf(command, io)
    checkFolderOwner(dataDir)
    const [{ openCatalog }, { verifyModel }] = await Promise.all([
      import('../catalog/open-catalog.ts'),
      import('../store/verify/verify-model.ts'),
    ])
    const catalog = openCatalog(dataDir)
    const wanted =
      ids.length > 0 ? ids.map((id) => findModel(catalog, id).manifest.id) : await modelsHere(catalog, dataDir)
    const verifyOne = async (modelId: string, signal: AbortSignal) => {
      using progress = showRead(io, modelId)
      const { manifest } = findModel(catalog, modelId)
      const named = allFiles(manifest)
      const files = catalog.filesOf(modelId).map((file, index) => ({ ...file, sha256: named[index]?.sha256 }))
      return verifyModel({ modelId, license: manifest.license, files }, { dataDir, signal, onBytes: progress.show })
    }
    const verified = await stoppable('stopped; what was read so far counts', async (signal) => {
      const done: VerifiedModel[] = []
      for (const modelId of wanted) done.push(await verifyOne(modelId, signal))
      return done
    })
    printAnswer(command, io, verified, () => verified.map(lineOf).join('') || 'No model has files on this disk.\n')
    const damaged = verified.filter(({ outcome }) => outcome === 'damaged')
    if (damaged.length === 0) return
    const [first] = damaged
    // A model without its files for a GPU is still served.
    const isServed = damaged.every(({ modelId }) => findModel(catalog, modelId).status.kind === 'ready')
    throw new CommandError(
      `${count(damaged.length, 'model')} damaged and ${isServed ? 'kept from the GPU' : 'not served'}; 'inferd pull ${first?.modelId}' repairs one of the catalog, 'inferd import' others`,
    )
  })
}

/** Returns the models to verify: all files present, or a lock that lists the missing ones. Leaves out unfinished pulls. */
async function modelsHere(catalog: Catalog, dataDir: string): Promise<string[]> {
  const { modelFolders } = await import('../store/model-folders.ts')
  const folders = new Map(modelFolders(dataDir).map(({ modelId, lock }) => [modelId, lock]))
  const isHere = ({ manifest: { id }, status: { kind } }: CatalogEntry) =>
    folders.get(id) !== undefined || (folders.has(id) && (kind === 'ready' || kind === 'broken'))
  return catalog.entries().flatMap((entry) => (isHere(entry) ? [entry.manifest.id] : []))
}

const outcomes: Readonly<Record<VerifiedModel['outcome'], string>> = {
  whole: 'is whole',
  locked: 'had no sound lock: what is there now counts as right from now on',
  damaged: 'IS DAMAGED',
  elsewhere: 'has no files in the data folder: nothing to compare',
}

function lineOf({ modelId, outcome, problems, bytes }: VerifiedModel): string {
  const lines = Object.entries(problems).map(([name, problem]) => `  ${name} ${problem}\n`)
  const size = outcome === 'elsewhere' ? '' : ` (${sizeText(bytes)})`
  return `${modelId} ${outcomes[outcome]}${size}\n${lines.join('')}`
}
