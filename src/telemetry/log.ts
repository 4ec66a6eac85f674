import { writeSync } from 'node:fs'
import pino from 'pino'
import { formatLogLine, withoutSecrets } from './log-line.ts'
import type { LogTail } from './log-tail.ts'

/**
 * Log of the server. Fields are named facts: ids, counts, milliseconds; never prompts, outputs, keys or mail addresses.
 * Errors have the field `err`.
 */
export type Log = Pick<pino.Logger, 'debug' | 'info' | 'warn' | 'error'>

export interface LogOptions {
  readonly level: pino.LevelWithSilent
  /** Format. `auto` writes text if stderr is a terminal, else JSON. */
  readonly format: 'auto' | 'text' | 'json'
  /** Writes a line, including its end. Defaults to stderr. */
  readonly write?: (text: string) => void
  /** Tail that gets the latest lines. */
  readonly tail?: LogTail | undefined
  /** Completes commands in texts. */
  readonly complete?: (text: string) => string
}

/**
 * Creates a log that writes to stderr synchronously, so that each line is out before a crash and no worker file is
 * needed.
 */
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

/** Returns the fields with their texts, such as a failure's reason, passed through `complete`. */
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
    // The reader of stderr is gone or slow. The line is lost, and the server continues.
  }
}
