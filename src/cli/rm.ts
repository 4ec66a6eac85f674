import { rmSync } from 'node:fs'
import type { Command } from 'commander'
import type { Catalog, CatalogEntry } from '../catalog/catalog.ts'
import { modelFolder } from '../catalog/locate-files.ts'
import { importedManifestPath } from '../catalog/operator-manifests.ts'
import { readPullNote } from '../catalog/pull-note.ts'
import { sizeText } from '../core/quantities.ts'
import { checkFolderOwner } from '../db/folder-owner.ts'
import { askServer, askToUnload } from './control-client.ts'
import { findModel } from './find-model.ts'
import { count } from './format.ts'
import { CommandError, type Io, printAnswer, UsageError } from './io.ts'
import { configOf, newCommand } from './options.ts'

interface Removed {
  readonly model: string
  readonly freedBytes: number
  /** Path of the manifest that was removed with it. */
  readonly manifest: string | null
  /** What stays, and why. */
  readonly notes: readonly string[]
}

export function rmCommand(io: Io): Command {
  const command = newCommand('rm', 'remove the files of a model from this disk')
    .argument('<model>', 'id of the model')
    .option('--drain', 'wait until the requests that run have ended; new ones are refused')
    .option('--now', 'end the requests that run')
  return command.action(async (id: string) => {
    const { data: dataDir } = configOf(command, io)
    const [isDrain, isNow] = ['drain', 'now'].map((name) => command.getOptionValue(name) === true)
    if (isDrain && isNow) throw new UsageError('--drain and --now cannot be combined')
    checkFolderOwner(dataDir)
    const { openCatalog } = await import('../catalog/open-catalog.ts')
    const catalog = openCatalog(dataDir)
    const { manifest } = findModel(catalog, id)
    requireRemovable(catalog, dataDir, id)
    if (!isDrain && !isNow) await requireIdle(dataDir, id)
    const own = catalog.operatorManifest(id)
    const { hideModel } = await import('../store/cleanup/remove-model.ts')
    const hidden = await hideModel(dataDir, id)
    const isImported = own === importedManifestPath(dataDir, id)
    if (hidden === undefined && !isImported)
      throw new CommandError(`${id} has no files in ${dataDir}, so there is nothing to remove`)
    if (isImported) rmSync(own, { force: true })
    // Nothing new starts: the files are not found any more. What runs has them open.
    await askToUnload(dataDir, id, isDrain ? 'drain' : 'now')
    await hidden?.remove()
    const removed = {
      model: id,
      freedBytes: hidden?.freedBytes ?? 0,
      manifest: isImported ? own : null,
      notes: notesOn({ own, isImported, manifest }),
    }
    printAnswer(command, io, removed, textOf)
  })
}

function requireRemovable(catalog: Catalog, dataDir: string, id: string): void {
  const files = catalog.filesOf(id)
  if (files.length > 0 && files.every(({ isCarried }) => isCarried)) {
    throw new CommandError(`${id} comes with the program and cannot be removed`)
  }
  const pull = readPullNote(modelFolder(dataDir, id))
  if (pull !== undefined) throw new CommandError(`a pull of ${id} is running (pid ${pull.pid}); end it first`)
}

async function requireIdle(dataDir: string, id: string): Promise<void> {
  const status = await askServer(dataDir)
  const engine = status?.engines.find(({ modelId }) => modelId === id)
  const busy = (engine?.running ?? 0) + (engine?.waiting ?? 0)
  if (busy > 0)
    throw new CommandError(
      `${id} has ${count(busy, 'running or waiting request')}; --drain lets them end first, --now ends them`,
    )
}

function notesOn({
  own,
  isImported,
  manifest,
}: { readonly own: string | undefined; readonly isImported: boolean } & Pick<CatalogEntry, 'manifest'>): string[] {
  if (own !== undefined && !isImported) return [`${own}, which describes it, is yours and stays`]
  const elsewhere = manifest.files.flatMap(({ path }) => (isImported && path?.startsWith('/') ? [path] : []))
  return elsewhere.map((path) => `${path} stays: it was used where it lies`)
}

function textOf({ model, freedBytes, manifest, notes }: Removed): string {
  return [
    `${model} is removed, which freed ${sizeText(freedBytes)}.`,
    ...(manifest === null ? [] : [`Its manifest ${manifest} is removed, too.`]),
    ...notes,
    '',
  ].join('\n')
}
