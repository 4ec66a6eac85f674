import type { Command } from 'commander'
import { inUsd } from '../operations/money-text.ts'

/** What a command may touch of the world besides the data folder. */
export interface Io {
  /** Data, for pipes: stdout. */
  readonly out: (text: string) => void
  /** Like `out`, for what is shown only once: resolves when the output has taken it, else rejects with the reason. */
  readonly deliver: (text: string) => Promise<void>
  /** Everything said to people on the way: stderr. */
  readonly error: (text: string) => void
  /** Whether `out` is a terminal, that people read and no file keeps. */
  readonly isTerminal?: boolean
  readonly environment: Readonly<Record<string, string | undefined>>
  /** Puts a line in the place of the one that it put there before; absent where stderr is no terminal. */
  readonly redraw?: ((line: string) => void) | undefined
  /** The line that a person types in answer; undefined when nobody sits at a terminal. */
  readonly ask: (question: string, options?: { readonly isHidden?: boolean }) => Promise<string | undefined>
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
