import type { Command } from 'commander'
import { sizeText } from '../../core/quantities.ts'
import { CommandError, type Io, printAnswer, tryLaterExitCode } from '../io.ts'
import { configOf, newCommand } from '../options.ts'
import { stoppable } from '../stoppable.ts'

const keyFlag = 'public-key'

export function verifyCommand(io: Io): Command {
  const command = newCommand(
    'verify',
    'check a bundle: exits with 1 if a file is bad, with 3 if some are only missing',
  ).argument('<folder...>', 'where the bundle lies; of several disks all folders')
  command
    .option(`--${keyFlag} <key>`, 'a public key (RW…) that is trusted besides those of the setting bundle-keys')
    .option('--unsigned <sha256>', 'take this one manifest without a signature, by its sum')
  return command.action(async (folders: string[]) => {
    const { openBundle } = await import('./trust-options.ts')
    const { verifyBundle } = await import('../../store/bundle/verify-bundle.ts')
    const { roots, manifest, ...trusted } = await openBundle(command, folders, {
      config: configOf(command, io),
      keyFlag,
    })
    const { showProgress } = await import('./show-progress.ts')
    const { missing, bad, checkedBytes } = await stoppable('stopped; not all files were checked', async (signal) => {
      using progress = showProgress(command, io, 'verify')
      return await verifyBundle(roots, manifest, { onBytes: progress.show, signal })
    })
    const { bundle, serial, models } = manifest
    const answer = { bundle, serial, signedBy: trusted.signedBy ?? null, checkedBytes, missing, bad }
    printAnswer(command, io, answer, () =>
      [
        `Bundle ${bundle}, serial ${serial}, ${signer(trusted.signedBy)}`,
        ...models.map(({ id, files }) => `  ${id}  ${sizeText(files.reduce((sum, { bytes }) => sum + bytes, 0))}`),
        ...bad.map(({ path, reason }) => `BAD      ${path} ${reason}`),
        ...missing.map((path) => `MISSING  ${path}`),
        `${sizeText(checkedBytes)} read${bad.length + missing.length === 0 ? ': all files are there and right' : ''}`,
        '',
      ].join('\n'),
    )
    if (bad.length > 0) throw new CommandError(`${bad.length} of the files cannot be used; copy them again`)
    if (missing.length === 0) return
    const hint = 'name the folders of all its disks, or copy them again'
    throw new CommandError(`${missing.length} of the files are missing; ${hint}`, { exitCode: tryLaterExitCode })
  })
}

function signer(key: string | undefined): string {
  return key === undefined ? 'without a signature' : `signed by ${key}`
}
