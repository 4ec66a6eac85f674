import { statSync } from 'node:fs'
import type { Command } from 'commander'
import { inUsd } from '../operations/money-text.ts'

/** The world that a command line touches besides the data folder. */
export interface ProcessIo {
  /** Writes data, for pipes: to stdout. */
  readonly out: (text: string) => void
  /** Like `out`, for a secret that is shown once: resolves when the output has taken it, else rejects with the reason. */
  readonly deliver: (text: string) => Promise<void>
  /** Writes messages for people: to stderr. */
  readonly error: (text: string) => void
  /** Whether `out` is a terminal, that people read and no file keeps. */
  readonly isTerminal?: boolean
  /** Columns of that terminal. Undefined elsewhere: lines are as long as they are. */
  readonly width?: number | undefined
  readonly environment: Readonly<Record<string, string | undefined>>
  /** Words that start this program; just its name unless given. */
  readonly program?: readonly string[]
  /** Replaces the line that it wrote last; undefined where stderr is no terminal. */
  readonly redraw?: ((line: string) => void) | undefined
  /** The line that a person types in answer; undefined when nobody sits at a terminal. */
  readonly ask: (question: string, options?: { readonly isHidden?: boolean }) => Promise<string | undefined>
}

/** The same as commands see it: texts are made safe for a terminal, commands in messages are completed. */
export interface Io extends ProcessIo {
  /** Returns the command `inferd <words>` as it is typed to reach the server of this command line. */
  readonly command: (words: string) => string
  /** Completes the commands of a text, so that they reach the server of this command line. `error` does it by itself. */
  readonly hint: (text: string) => string
}

/** Exit code of a command that failed for want of something that may be there later: a network, a server, another disk. */
export const tryLaterExitCode = 3

/** A command that did not do its work. The message is one line: what failed and the next step. */
export class CommandError extends Error {
  override name = 'CommandError'
  readonly exitCode: number

  constructor(message: string, { exitCode = 1 }: { readonly exitCode?: number } = {}) {
    super(message)
    this.exitCode = exitCode
  }
}

/** Throws CommandError where a folder that was named to be written to is not there: its disk may not be mounted. */
export function requireFolderToWrite(folder: string): void {
  const found = statSync(folder, { throwIfNoEntry: false })
  if (found?.isDirectory() === true) return
  if (found !== undefined) throw new CommandError(`${folder} is no folder; name another place`)
  throw new CommandError(`there is no folder ${folder}; mount its disk, or make it, first`)
}

/** Wrong words on the command line, or a setting with a value that is not allowed. */
export class UsageError extends Error {
  override name = 'UsageError'
}

/** Prints what a command has to say: as JSON where that is wanted, else as `toText` puts it for people. */
export function printAnswer<Answer>(
  command: Command,
  io: Io,
  answer: Answer,
  toText: (answer: Answer) => string,
): void {
  io.out(wantsJson(command) ? jsonLine(answer) : toText(answer))
}

/** JSON in which amounts are exact decimal text: `balanceNanoUsd: 1250000000` becomes `"balanceUsd": "1.25"`. */
export function jsonLine(value: unknown): string {
  return `${JSON.stringify(inUsd(value))}\n`
}

export function wantsJson(command: Command): boolean {
  return command.getOptionValue('json') === true
}
