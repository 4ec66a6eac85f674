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
  /** Completes the commands that a text names. */
  readonly complete?: (text: string) => string
}

/** Writes to stderr at once and on this thread: a line is out before a crash, and no worker file is needed. */
export function createLog({ level, format, write = writeToStderr, tail, complete = (text) => text }: LogOptions): Log {
  const asText = format === 'text' || (format === 'auto' && process.stderr.isTTY === true)
  return pino(
    {
      ...{ level, base: null },
      formatters: {
        level: (label) => ({ level: label }),
        log: (fields) => completeTexts(fields, complete),
      },
      hooks: {
        logMethod([fields, message, ...rest], method) {
          method.apply(this, [fields, typeof message === 'string' ? complete(message) : message, ...rest])
        },
      },
    },
    {
      write: (line) => {
        write(withoutSecrets(asText ? formatLogLine(line) : line))
        tail?.add(line)
      },
    },
  )
}

/** The fields with their texts, such as the reason of a failure, passed through `complete`. */
function completeTexts(fields: Record<string, unknown>, complete: (text: string) => string): Record<string, unknown> {
  const shown = Object.entries(fields).map(([name, value]) => [
    name,
    typeof value === 'string' ? complete(value) : value,
  ])
  return Object.fromEntries(shown)
}

function writeToStderr(text: string): void {
  try {
    writeSync(2, text)
  } catch {
    // The reader of stderr is gone or slow. The line is lost; the server goes on.
  }
}
