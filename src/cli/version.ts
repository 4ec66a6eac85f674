import type { Command } from 'commander'
import { version } from '../config/config.ts'
import { type Io, printJson } from './io.ts'
import { newCommand, wantsJson } from './options.ts'

export function versionCommand(io: Io): Command {
  const command = newCommand('version', 'print the version')
  return command.action(() => {
    if (wantsJson(command)) printJson(io, { version, bun: Bun.version })
    else io.out(`${version}\n`)
  })
}
