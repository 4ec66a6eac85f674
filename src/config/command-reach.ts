/** Tells how commands in a shell reach the server of these settings. */
import { realpathSync } from 'node:fs'
import { join } from 'node:path'
import { type CommandReach, shellWord } from '../core/own-commands.ts'
import type { Config } from './config.ts'
import { defaultDataDir } from './sources.ts'

/** Returns the flags that name the data folder and the settings file, if a command would not find them by itself. */
export function commandReach({ data, file }: Pick<Config, 'data' | 'file'>, program: string): CommandReach {
  // Without this process's variables, which another shell or cron does not have.
  const isUsual = data === defaultDataDir({})
  const isBeside = file === undefined || file === join(data, 'config.toml')
  const named = [
    ...(isUsual ? [] : [` --data ${shellWord(data)}`]),
    ...(isBeside ? [] : [` --config ${shellWord(file)}`]),
  ]
  return { program, flags: named.join('') }
}

/**
 * Returns the words that start a program from a shell: its name if `programPath` finds it, else its words with full
 * paths. `words`: words that start it in this process.
 */
export function shellProgram(words: readonly string[], programPath: string | undefined): string {
  const [executable = ''] = words
  const found = words.length === 1 ? Bun.which('inferd', { PATH: programPath ?? '' }) : null
  if (found !== null && realpathSync(found) === realpathSync(executable)) return 'inferd'
  return words.map(shellWord).join(' ')
}
