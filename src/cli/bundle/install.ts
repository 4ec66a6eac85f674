import type { Command } from 'commander'
import { addAcceptLicenseFlag } from '../accept-licenses.ts'
import type { Io } from '../io.ts'
import { newCommand } from '../options.ts'

export function installCommand(io: Io): Command {
  const command = newCommand('install', 'install the models of a bundle; run again, it goes on where it was')
    .argument('<folder...>', 'where the bundle lies; of several disks those that are here')
    .option('--trust-key <key>', 'a public key (RW…) that is trusted besides those of the setting bundle-keys')
    .option('--unsigned <sha256>', 'take this one manifest without a signature, by its sum')
    .option('--allow-older', 'install it although a later bundle of the same key was installed')
    .option('--executable <file>', 'put the program that the bundle carries there, too')
    .option('--force', 'go on although the disk has too little room')
  return addAcceptLicenseFlag(command).action(async (folders: string[]) => {
    const { runInstall } = await import('./run-install.ts')
    await runInstall(command, io, folders)
  })
}
