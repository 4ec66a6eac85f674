import type { Command } from 'commander'
import { type Io, printAnswer } from '../io.ts'
import { newCommand } from '../options.ts'
import { backendTable } from './backend-table.ts'
import { probeBackends } from './known-backends.ts'

export function probeCommand(io: Io): Command {
  const command = newCommand('probe', 'compute on every GPU again, and show which libraries can')
  return command.action(async () => {
    const backends = await probeBackends(command, io)
    printAnswer(command, io, { backends }, () => backendTable(backends, io))
  })
}
