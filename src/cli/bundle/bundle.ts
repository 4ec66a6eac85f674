import { Command } from 'commander'
import { addAcceptLicenseFlag } from '../accept-licenses.ts'
import { type Io, jsonLine } from '../io.ts'
import { configOf, newCommand } from '../options.ts'
import { createCommand } from './create.ts'
import { keygenCommand } from './keygen.ts'
import { carriedExecutable } from './own-executable.ts'
import { verifyCommand } from './verify.ts'

export function bundleCommand(io: Io): Command {
  return new Command('bundle')
    .description('carry models and this program to a box without a network')
    .addCommand(keygenCommand(io))
    .addCommand(createCommand(io))
    .addCommand(verifyCommand(io))
    .addCommand(installCommand(io))
    .addCommand(inventoryCommand(io))
}

function installCommand(io: Io): Command {
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

function inventoryCommand(io: Io): Command {
  const command = newCommand('inventory', 'print what this box has, as JSON: bundle create --base leaves it out')
  return command.action(async () => {
    const { boxInventory } = await import('../../store/bundle/inventory.ts')
    io.out(jsonLine(await boxInventory(configOf(command, io).data, carriedExecutable())))
  })
}
