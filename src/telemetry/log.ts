import { writeSync } from 'node:fs'
import pino from 'pino'
import { formatLogLine, withoutSecrets } from './log-line.ts'
import type { LogTail } from './log-tail.ts'

/**
 * The server's log. Fields are facts by name: ids, counts, milliseconds. Prompts, outputs, keys and mail addresses are
 * never among them. An error goes under `err`.
 */
export type Log = Pick<pino.Logger, 'debug' | 'info' | 'warn' | 'error'>

export interface LogOptions {
  readonly level: pino.LevelWithSilent
  /** `auto`: text when stderr is a terminal. */
  readonly format: 'auto' | 'text' | 'json'
  /** Where lines go, line end included; stderr unless given. */
  readonly write?: (text: string) => void
  /** Keeps the latest lines. */
  readonly tail?: LogTail | undefined
}

/** Writes to stderr at once and on this thread: a line is out before a crash, and no worker file is needed. */
export function createLog({ level, format, write = writeToStderr, tail }: LogOptions): Log {
  const asText = format === 'text' || (format === 'auto' && process.stderr.isTTY === true)
  return pino(
    { level, base: null, formatters: { level: (label) => ({ level: label }) } },
    {
      write: (line) => {
        write(withoutSecrets(asText ? formatLogLine(line) : line))
        tail?.add(line)
      },
    },
  )
}

function writeToStderr(text: string): void {
  try {
    writeSync(2, text)
  } catch {
    // The reader of stderr is gone or slow. The line is lost; the server goes on.
  }
}
