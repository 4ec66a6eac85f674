import type { Command } from 'commander'
import { type Io, jsonLine } from '../io.ts'
import { configOf, newCommand } from '../options.ts'

export function inventoryCommand(io: Io): Command {
  const command = newCommand('inventory', 'print what this box has, as JSON: bundle create --base leaves it out')
  return command.action(async () => {
    const { boxInventory } = await import('../../store/bundle/inventory.ts')
    const { carriedExecutable } = await import('./own-executable.ts')
    io.out(jsonLine(await boxInventory(configOf(command, io).data, carriedExecutable())))
  })
}
