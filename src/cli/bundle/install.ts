import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Command } from 'commander'
import { checkFolderOwner } from '../../db/folder-owner.ts'
import { createDataFolder } from '../../db/private-file.ts'
import type { BundleManifest } from '../../store/bundle/manifest.ts'
import { CommandError, type Io, printAnswer } from '../io.ts'
import { configOf, newCommand, optionText } from '../options.ts'
import type { OpenedBundle } from './trust-options.ts'
import { incompleteExitCode } from './verify.ts'

const keyFlag = 'trust-key'

export function installCommand(io: Io): Command {
  const command = newCommand('install', 'install the models of a bundle; run again, it goes on where it was')
    .argument('<folder...>', 'where the bundle lies; of several disks those that are here')
    .option(`--${keyFlag} <key>`, 'a public key (RW…) that is trusted besides those of the setting bundle-keys')
    .option('--unsigned <sha256>', 'take this one manifest without a signature, by its sum')
    .option('--allow-older', 'install it although a later bundle of the same key was installed')
    .option('--accept-license <id...>', 'accept a licence without being asked')
    .option('--executable <file>', 'put the program that the bundle carries there, too')
  return command.action(async (folders: string[]) => {
    const config = configOf(command, io)
    const dataDir = config.data
    checkFolderOwner(dataDir)
    const { openBundle } = await import('./trust-options.ts')
    const opened = await openBundle(command, folders, { config, keyFlag })
    const { manifest, roots } = opened
    await requireNewer(command, opened, dataDir)
    const { requireLicenses } = await import('./bundle-licenses.ts')
    await requireLicenses(command, io, opened)

    createDataFolder(dataDir)
    const { openCatalog } = await import('../../catalog/open-catalog.ts')
    const { installConflict, isDescribedBy } = await import('../../store/bundle/install-conflict.ts')
    const { planInstall } = await import('../../store/bundle/plan-install.ts')
    const { installExecutable, installModels } = await import('../../store/bundle/install-bundle.ts')
    const catalog = openCatalog(dataDir)
    const conflict = installConflict(manifest, catalog, dataDir)
    if (conflict !== undefined) throw new CommandError(conflict)
    const plan = planInstall(manifest, dataDir)
    const { requireRoom } = await import('../../store/bundle/require-room.ts')
    await requireRoom(dataDir, plan.joinBytes, { keepsReserve: true })
    const options = { roots, dataDir, clock: Date.now }
    const isDescribed = isDescribedBy(catalog, dataDir)
    const models = await installModels(plan, { ...options, isDescribed })
    const target = optionText(command, 'executable')
    const missing = [
      ...models.missing,
      ...(target === undefined ? [] : await installExecutable(resolve(target), manifest, options)),
    ]
    if (missing.length === 0 && opened.signedBy !== undefined) {
      const { noteInstalled } = await import('../../store/bundle/installed-bundles.ts')
      await noteInstalled(dataDir, opened.signedBy, manifest.serial)
    }
    const answer = { bundle: manifest.bundle, serial: manifest.serial, ...models, missing, executable: target ?? null }
    printAnswer(command, io, answer, () => report(manifest, { ...answer, folder: folders[0] ?? '' }))
    if (missing.length === 0) return
    throw new CommandError(`${missing.length} parts are on other disks; run the same with the next disk`, {
      exitCode: incompleteExitCode,
    })
  })
}

/** What an earlier bundle of this key has brought must not be taken back by one that is older still. */
async function requireNewer(command: Command, { manifest, signedBy }: OpenedBundle, dataDir: string): Promise<void> {
  if (signedBy === undefined || command.getOptionValue('allowOlder') === true || !existsSync(dataDir)) return
  const { installedSerials } = await import('../../store/bundle/installed-bundles.ts')
  const last = installedSerials(dataDir)[signedBy] ?? 0
  if (manifest.serial >= last) return
  throw new CommandError(
    `the bundle has serial ${manifest.serial}, and ${last} of the same key was installed here; --allow-older installs it all the same`,
  )
}

interface Outcome {
  readonly folder: string
  readonly installed: readonly string[]
  readonly kept: readonly string[]
  readonly missing: readonly string[]
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
    missing.length === 0 ? `Serial ${serial} is installed; a running server serves its models now.` : '',
    '',
  ].join('\n')
}
