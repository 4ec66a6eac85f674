import type { Command } from 'commander'
import type { Io } from './io.ts'
import { newCommand } from './options.ts'

export function importCommand(_io: Io): Command {
  return newCommand('import', 'add a GGUF file from this disk as a model')
}
