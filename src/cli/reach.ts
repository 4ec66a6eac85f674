import { type Stats, statSync } from 'node:fs'
import type { Command } from 'commander'
import { commandReach, shellProgram } from '../config/command-reach.ts'
import type { Config } from '../config/config.ts'
import { type CommandReach, usualReach } from '../core/own-commands.ts'
import { CommandError, type Io } from './io.ts'
import { configOf, otherServer } from './options.ts'
import { runningFolders, whereServersRun } from './running-servers.ts'

/** Returns how further commands reach the server that a command line is for. */
export function reachOf(command: Command, io: Io): CommandReach {
  const { program: words = [usualReach.program], environment } = io
  const program = words[0] === usualReach.program ? usualReach.program : shellProgram(words, environment.PATH)
  const config = knownConfig(command, io)
  return config === undefined ? { ...usualReach, program } : commandReach(config, program)
}

/** Commands that have no use for a data folder. */
const withoutFolder = new Set(['config', 'version', 'help', 'completion', 'bundle keygen', 'bundle verify'])

/**
 * Commands that need a running server. They create no folder, and their own error says that no server runs there and
 * where others run.
 */
const forRunningServers = new Set([
  ...['ps', 'logs', 'search', 'requests cancel', 'models load', 'models unload', 'models restart'],
  ...['endpoints', 'endpoints list', 'endpoints drain', 'endpoints resume'],
])

/**
 * Throws CommandError if the data folder is no folder. Also if the default folder does not exist while a server runs on
 * another one: the command would create a second folder, or find nothing.
 */
export async function requireFolder(command: Command, io: Io): Promise<void> {
  const isWithout = withoutFolder.has(nameOf(command)) || otherServer(command, io) !== undefined
  const config = isWithout ? undefined : knownConfig(command, io)
  if (config === undefined) return
  const found = statOf(config.data)
  if (found !== undefined && !found.isDirectory())
    throw new CommandError(`${config.data} is a file; --data names a folder`)
  if (found !== undefined || config.resolved.data.source !== 'default') return
  if (nameOf(command) === 'serve' || forRunningServers.has(nameOf(command))) return
  const where = whereServersRun(await runningFolders())
  if (where !== undefined) throw new CommandError(`there is no data folder ${config.data}; ${where}`)
}

/**
 * Returns the state of a path; undefined if nothing is there, or it cannot be reached, which opening it will report.
 */
function statOf(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false })
  } catch {
    return undefined
  }
}

/** Returns the settings; undefined if they are invalid, which the command itself reports. */
function knownConfig(command: Command, io: Io): Config | undefined {
  try {
    return configOf(command, io)
  } catch {
    return undefined
  }
}

/** Returns the words that call a command, such as `keys create`. */
function nameOf(command: Command): string {
  const { parent } = command
  return parent?.parent ? `${nameOf(parent)} ${command.name()}` : command.name()
}
