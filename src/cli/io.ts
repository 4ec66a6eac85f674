import { statSync } from 'node:fs'
import type { Command } from 'commander'
import { inUsd } from '../operations/money-text.ts'

/** Terminal of a conversation. */
export interface Terminal {
  readonly input: NodeJS.ReadStream
  readonly output: NodeJS.WriteStream
}

/** Environment of a command besides the data folder. */
export interface ProcessIo {
  /** Writes data to stdout, for pipes. */
  readonly out: (text: string) => void
  /** Like `out`, for bytes. Resolves once the output has taken them. */
  readonly outBytes?: (bytes: Uint8Array) => Promise<void>
  /** Aborts once the output takes no more, as after `| head` or on a full disk. */
  readonly outputClosed?: AbortSignal
  /** Resolves once the output has taken all, or was closed by its reader. Throws CommandError if it could not. */
  readonly finishOutput?: () => Promise<void>
  /**
   * Like `out`, for a secret that is shown once. Resolves once the output has accepted it, and rejects with the reason
   * otherwise.
   */
  readonly deliver: (text: string) => Promise<void>
  /** Writes messages for people to stderr. */
  readonly error: (text: string) => void
  /** True if `out` is a terminal. Other outputs may be kept in a file. */
  readonly isTerminal?: boolean
  /** Columns of the terminal. Undefined if lines need not be wrapped. */
  readonly width?: number | undefined
  readonly environment: Readonly<Record<string, string | undefined>>
  /** Words that start this program. Defaults to its name. */
  readonly program?: readonly string[]
  /** Replaces the last line on stderr. Undefined if stderr is not a terminal. */
  readonly redraw?: ((line: string) => void) | undefined
  /** Returns the line typed in answer; undefined without a terminal. */
  readonly ask: (question: string, options?: { readonly isHidden?: boolean }) => Promise<string | undefined>
  /** Reads all text that is piped in, with `mayType` also what is typed until Ctrl-D. Undefined if there is neither. */
  readonly readInput?: (options: { readonly mayType: boolean }) => Promise<string | undefined>
  /** Reads all bytes that are piped in. Undefined without a pipe or file. */
  readonly readBytes?: () => Promise<Blob | undefined>
  /** Undefined unless both input and output are a terminal. */
  readonly terminal?: Terminal | undefined
}

/** Input and output of a command: texts are made safe for a terminal, commands in messages are completed. */
export interface Io extends ProcessIo {
  /** Returns `inferd <words>` with the flags needed to reach the server of this command line. */
  readonly command: (words: string) => string
  /**
   * Completes the commands in a text, so that they reach the server of this command line. `error` does so by itself.
   */
  readonly hint: (text: string) => string
  /** Like `out`, for text that has styles and is safe for a terminal already. */
  readonly outStyled: (text: string) => void
}

/** Exit code of a command that failed for a temporary reason: a network, a server, another disk. */
export const tryLaterExitCode = 3

/** Failure of a command. The message is one line: what failed and the next step. */
export class CommandError extends Error {
  override name = 'CommandError'
  readonly exitCode: number

  constructor(message: string, { exitCode = 1 }: { readonly exitCode?: number } = {}) {
    super(message)
    this.exitCode = exitCode
  }
}

/** Throws CommandError if a named output folder does not exist: its disk may not be mounted. */
export function requireFolderToWrite(folder: string): void {
  const found = statSync(folder, { throwIfNoEntry: false })
  if (found?.isDirectory() === true) return
  if (found !== undefined) throw new CommandError(`${folder} is no folder; name another place`)
  throw new CommandError(`there is no folder ${folder}; mount its disk, or make it, first`)
}

/** Error of invalid words on the command line, or of a setting with an invalid value. */
export class UsageError extends Error {
  override name = 'UsageError'
}

/** Prints an answer as JSON if requested, else as `toText` formats it. */
export function printAnswer<Answer>(
  command: Command,
  io: Io,
  answer: Answer,
  toText: (answer: Answer) => string,
): void {
  io.out(wantsJson(command) ? jsonLine(answer) : toText(answer))
}

/** Returns JSON with amounts as exact decimal text: `balanceNanoUsd: 1250000000` becomes `"balanceUsd": "1.25"`. */
export function jsonLine(value: unknown): string {
  return `${JSON.stringify(inUsd(value))}\n`
}

export function wantsJson(command: Command): boolean {
  return command.getOptionValue('json') === true
}
