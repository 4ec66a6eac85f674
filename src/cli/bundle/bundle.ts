import { Command } from 'commander'
import type { Io } from '../io.ts'
import { createCommand } from './create.ts'
import { installCommand } from './install.ts'
import { inventoryCommand } from './inventory.ts'
import { keygenCommand } from './keygen.ts'
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
