import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Command } from 'commander'
import { openCatalog } from '../../catalog/open-catalog.ts'
import { checkFolderOwner } from '../../db/folder-owner.ts'
import { createDataFolder } from '../../db/private-file.ts'
import { installExecutable, type InstalledModels, installModels } from '../../store/bundle/install-bundle.ts'
import { installConflict, isDescribedBy } from '../../store/bundle/install-conflict.ts'
import { installedSerials, noteInstalled } from '../../store/bundle/installed-bundles.ts'
import type { BundleManifest } from '../../store/bundle/manifest.ts'
import { type PlannedInstall, planInstall } from '../../store/bundle/plan-install.ts'
import { promisedToOthers, readDiskRoom, roomProblem } from '../../store/pull/disk-room.ts'
import { requireAcceptance } from '../accept-licenses.ts'
import { CommandError, type Io, printAnswer, tryLaterExitCode } from '../io.ts'
import { configOf, optionText } from '../options.ts'
import { askedLicenses } from './bundle-licenses.ts'

import { showProgress } from './show-progress.ts'
import { type OpenedBundle, openBundle } from './trust-options.ts'

/** Everything that can be refused is refused before anything is written. Throws CommandError, and what the store throws. */
export async function runInstall(command: Command, io: Io, folders: readonly string[]): Promise<void> {
  const config = configOf(command, io)
  const { data: dataDir } = config
  checkFolderOwner(dataDir)
  const opened = await openBundle(command, folders, { config, keyFlag: 'trust-key' })
  const { manifest } = opened
  const target = optionText(command, 'executable')
  if (target !== undefined) requireProgram(manifest)
  if (command.getOptionValue('allowOlder') !== true) requireNewer(opened, dataDir)
  const asked = await askedLicenses(io, opened)
  const catalog = openCatalog(dataDir)
  const conflict = installConflict(manifest, catalog, dataDir)
  if (conflict !== undefined) throw new CommandError(conflict)
  const plan = planInstall(manifest, dataDir)
  if (command.getOptionValue('force') !== true) await requireRoom(plan, dataDir)
  createDataFolder(dataDir)
  await requireAcceptance(command, io, asked)

  const outcome = await install(command, io, {
    opened,
    plan,
    dataDir,
    target,
    isDescribed: isDescribedBy(catalog, dataDir),
  })
  const { missing } = outcome
  if (missing.length === 0 && opened.signedBy !== undefined)
    await noteInstalled(dataDir, opened.signedBy, manifest.serial)
  const answer = { bundle: manifest.bundle, serial: manifest.serial, ...outcome, executable: target ?? null }
  printAnswer(command, io, answer, () => report(manifest, { ...answer, folder: folders[0] ?? '' }))
  if (missing.length === 0) return
  throw new CommandError(`${missing.length} parts are on other disks; run the same with the next disk`, {
    exitCode: tryLaterExitCode,
  })
}

/** Throws CommandError where the bundle has no program that runs here. */
function requireProgram({ executable, blobs, platform }: BundleManifest): void {
  if (!blobs.some(({ sha256 }) => sha256 === executable?.sha256)) {
    throw new CommandError('the bundle carries no program; leave --executable away')
  }
  if (platform.os === process.platform && platform.arch === process.arch) return
  const what = `the program of the bundle is for ${platform.os} on ${platform.arch}`
  throw new CommandError(`${what}, not for this machine; leave --executable away`)
}

/** What an earlier bundle of this key has brought must not be taken back by one that is older still. */
function requireNewer({ manifest, signedBy }: OpenedBundle, dataDir: string): void {
  if (signedBy === undefined || !existsSync(dataDir)) return
  const last = installedSerials(dataDir)[signedBy] ?? 0
  if (manifest.serial >= last) return
  throw new CommandError(
    `the bundle has serial ${manifest.serial}, and ${last} of the same key was installed here; --allow-older installs it all the same`,
  )
}

async function requireRoom({ joinBytes, largestBytes }: PlannedInstall, dataDir: string): Promise<void> {
  const need = { missingBytes: joinBytes, largestFileBytes: largestBytes, promisedBytes: promisedToOthers(dataDir, []) }
  const problem = roomProblem(need, await readDiskRoom(dataDir))
  if (problem !== undefined) throw new CommandError(problem)
}

interface Install {
  readonly opened: OpenedBundle
  readonly plan: PlannedInstall
  readonly dataDir: string
  /** Where the program goes. */
  readonly target: string | undefined
  readonly isDescribed: ReturnType<typeof isDescribedBy>
}

async function install(command: Command, io: Io, wanted: Install): Promise<InstalledModels> {
  const { opened, plan, dataDir, target, isDescribed } = wanted
  using progress = showProgress(command, io, 'install')
  let doneBytes = 0
  const onBytes = (bytes: number) => {
    doneBytes += bytes
    progress.show(doneBytes, plan.joinBytes)
  }
  const options = { roots: opened.roots, dataDir, clock: Date.now, onBytes }
  const models = await installModels(plan, { ...options, isDescribed })
  if (target === undefined) return models
  const lacking = await installExecutable(resolve(target), opened.manifest, options)
  return { ...models, missing: [...models.missing, ...lacking] }
}

interface Outcome extends InstalledModels {
  readonly folder: string
  readonly executable: string | null
}

function report({ serial, inferd, executable: carried }: BundleManifest, outcome: Outcome): string {
  const { installed, kept, missing, executable, folder } = outcome
  const program =
    executable === null ? `inferd bundle install ${folder} --executable FILE` : `${executable} is inferd ${inferd}`
  return [
    ...installed.map((id) => `Installed  ${id}`),
    ...kept.map((id) => `Was here   ${id}`),
    ...missing.map((path) => `Missing    ${path}`),
    ...(carried === undefined ? [] : [`Program    ${program}`]),
    ...(missing.length === 0 ? [`Serial ${serial} is installed; a running server serves its models now.`] : []),
    '',
  ].join('\n')
}
