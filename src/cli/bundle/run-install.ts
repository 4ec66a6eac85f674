import { existsSync, statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import type { Command } from 'commander'
import type { Catalog } from '../../catalog/catalog.ts'
import { openCatalog } from '../../catalog/open-catalog.ts'
import type { Config } from '../../config/config.ts'
import { shellWord } from '../../core/own-commands.ts'
import { checkFolderOwner } from '../../db/folder-owner.ts'
import { createDataFolder } from '../../db/private-file.ts'
import { ownLibraryFolder } from '../../nvidia/own-folder.ts'
import { type InstalledModels, installExecutable, installModels } from '../../store/bundle/install-bundle.ts'
import { installConflict, isDescribedBy } from '../../store/bundle/install-conflict.ts'
import { installedSerials, lockInstalls, noteInstalled } from '../../store/bundle/installed-bundles.ts'
import type { BundleManifest } from '../../store/bundle/manifest.ts'
import { type PlannedInstall, planInstall, planLibraries } from '../../store/bundle/plan-install.ts'
import { promisedToOthers, readDiskRoom, roomProblem } from '../../store/pull/disk-room.ts'
import { requireAcceptance } from '../accept-licenses.ts'
import { requireReady } from '../find-model.ts'
import { tellServer } from '../gpu/nvidia-libraries.ts'
import { CommandError, type Io, printAnswer, requireFolderToWrite, tryLaterExitCode } from '../io.ts'
import { configOf, optionText } from '../options.ts'
import { stoppable } from '../stoppable.ts'
import { askedLicenses } from './bundle-licenses.ts'
import { installGpuLibraries, requireGpuLibraries } from './gpu-libraries.ts'
import { showProgress } from './show-progress.ts'
import { type OpenedBundle, openBundle } from './trust-options.ts'

/** Installs a bundle. All refusals come before anything is written. Throws CommandError and errors of the store. */
export async function runInstall(command: Command, io: Io, folders: readonly string[]): Promise<void> {
  const config = configOf(command, io)
  const { data: dataDir } = config
  checkFolderOwner(dataDir)
  const opened = await openBundle(command, folders, { config, keyFlag: 'trust-key' })
  const { manifest } = opened
  const target = optionText(command, 'executable')
  if (target !== undefined) requireProgram(manifest, target)
  const asked = await askedLicenses(io, opened)
  const catalog = openCatalog(dataDir)
  requireGpuLibraries(manifest)
  const wanted = { opened, config, dataDir, target, catalog }
  await plan(command, wanted)
  createDataFolder(dataDir)
  await requireAcceptance(command, io, asked)
  const outcome = await stoppable('stopped; what was copied is kept: run the same command again to go on', (signal) =>
    install(command, io, { ...wanted, signal }),
  )
  const { missing, installed } = outcome
  const answer = { bundle: manifest.bundle, serial: manifest.serial, ...outcome, executable: target ?? null }
  const hasLibraries = manifest.libraries !== undefined && missing.length === 0
  const hint = hasLibraries ? `${await tellServer(command, io)}\n` : ''
  printAnswer(command, io, answer, () => io.hint(`${report(manifest, { ...answer, folder: folders[0] ?? '' })}${hint}`))
  if (missing.length > 0) {
    throw new CommandError(`${missing.length} parts are on other disks; run the same with the next disk`, {
      exitCode: tryLaterExitCode,
    })
  }
  for (const id of installed) requireReady(catalog, id, 'installed')
}

interface Wanted {
  readonly opened: OpenedBundle
  readonly config: Config
  readonly dataDir: string
  /** Target path of the program. Undefined leaves it out. */
  readonly target: string | undefined
  readonly catalog: Catalog
}

/** Throws CommandError if the bundle conflicts with this box. */
async function plan(command: Command, { opened, dataDir, catalog }: Wanted): Promise<PlannedInstall> {
  if (command.getOptionValue('allowOlder') !== true) requireNewer(opened, dataDir)
  const conflict = installConflict(opened.manifest, catalog, dataDir)
  if (conflict !== undefined) throw new CommandError(conflict)
  const models = planInstall(opened.manifest, dataDir)
  const libraries = planLibraries(ownLibraryFolder(dataDir), opened.manifest)
  const planned = {
    ...models,
    joinBytes: models.joinBytes + libraries.joinBytes,
    largestBytes: Math.max(models.largestBytes, libraries.largestBytes),
  }
  if (command.getOptionValue('force') !== true) await requireRoom(planned, dataDir)
  return planned
}

/** Throws CommandError if the bundle has no program for this machine, or it cannot be written to `target`. */
function requireProgram({ executable, blobs, platform }: BundleManifest, target: string): void {
  if (!blobs.some(({ sha256 }) => sha256 === executable?.sha256)) {
    throw new CommandError('the bundle carries no program; leave out --executable')
  }
  if (platform.os !== process.platform || platform.arch !== process.arch) {
    const what = `the program of the bundle is for ${platform.os} on ${platform.arch}`
    throw new CommandError(`${what}, not for this machine; leave out --executable`)
  }
  requireFolderToWrite(dirname(resolve(target)))
  if (statSync(target, { throwIfNoEntry: false })?.isDirectory() === true)
    throw new CommandError(`${target} is a folder; name the file that the program becomes, such as ${target}/inferd`)
}

/** Throws CommandError if a later bundle of the same key is installed, whose changes this one would revert. */
function requireNewer({ manifest, signedBy }: OpenedBundle, dataDir: string): void {
  if (signedBy === undefined || !existsSync(dataDir)) return
  const last = installedSerials(dataDir)[signedBy] ?? 0
  if (manifest.serial >= last) return
  throw new CommandError(
    `the bundle has serial ${manifest.serial}, and ${last} of the same key was installed here; --allow-older installs it anyway`,
  )
}

async function requireRoom({ joinBytes, largestBytes }: PlannedInstall, dataDir: string): Promise<void> {
  const need = { missingBytes: joinBytes, largestFileBytes: largestBytes, promisedBytes: promisedToOthers(dataDir, []) }
  const problem = roomProblem(need, await readDiskRoom(dataDir))
  if (problem !== undefined) throw new CommandError(problem)
}

async function install(
  command: Command,
  io: Io,
  wanted: Wanted & { readonly signal: AbortSignal },
): Promise<InstalledModels> {
  const { opened, config, dataDir, target, catalog, signal } = wanted
  const { roots, manifest, signedBy } = opened
  using _ = await lockInstalls(dataDir, signal, () => io.error('another install is running; this one waits for it\n'))
  // Another install may have changed the box since the first plan.
  const planned = await plan(command, wanted)
  using progress = showProgress(command, io, 'install')
  let doneBytes = 0
  const onBytes = (bytes: number) => {
    doneBytes += bytes
    progress.show(doneBytes, planned.joinBytes)
  }
  const options = { roots, dataDir, clock: Date.now, onBytes, signal }
  const models = await installModels(planned, { ...options, isDescribed: isDescribedBy(catalog, dataDir) })
  const libraries = await installGpuLibraries(config, io, { manifest, options })
  const lacking = target === undefined ? [] : await installExecutable(resolve(target), manifest, options)
  const missing = [...models.missing, ...libraries, ...lacking]
  if (missing.length === 0 && signedBy !== undefined) await noteInstalled(dataDir, signedBy, manifest.serial)
  return { ...models, missing }
}

interface Outcome extends InstalledModels {
  readonly folder: string
  readonly executable: string | null
}

function report({ serial, libraries, executable: carried }: BundleManifest, outcome: Outcome): string {
  const { installed, kept, missing, executable, folder } = outcome
  const program =
    executable === null
      ? `'inferd bundle install ${shellWord(folder)} --executable FILE' puts it in place`
      : `${executable}; restart the service to run it`
  return [
    ...installed.map((id) => `Installed  ${id}`),
    ...kept.map((id) => `Was here   ${id}`),
    ...missing.map((path) => `Missing    ${path}`),
    ...(libraries === undefined ? [] : [`GPU        ${libraries.length} libraries of NVIDIA`]),
    ...(carried === undefined ? [] : [`Program    ${program}`]),
    ...(missing.length === 0 ? [`Serial ${serial} is installed; a running server serves its models now.`] : []),
    '',
  ].join('\n')
}
