import { writeSync } from 'node:fs'
import pino from 'pino'
import { printable, printableLine } from '../core/printable.ts'

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
}

const keyPattern = /sk-inferd-[0-9A-Za-z]{8,}/g

/** Writes to stderr at once and on this thread: a line is out before a crash, and no worker file is needed. */
export function createLog({ level, format, write = writeToStderr }: LogOptions): Log {
  const asText = format === 'text' || (format === 'auto' && process.stderr.isTTY === true)
  return pino(
    { level, base: null, formatters: { level: (label) => ({ level: label }) } },
    {
      // In case a key gets into an error's text.
      write: (line) => {
        const text = printable(asText ? formatLogLine(line) : line)
        write(text.replace(keyPattern, 'sk-inferd-[redacted]'))
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

/** One of the log's JSON lines as people read it: `12:30:01 warn  message  name=value …`, an error's stack below it. */
function formatLogLine(json: string): string {
  const { level, time, msg, err, ...fields } = JSON.parse(json) as LoggedLine // written by the log itself
  const clock = new Date(time).toISOString().slice(11, 19)
  const pairs = Object.entries(fields).map(([name, value]) => `${name}=${asWord(value)}`)
  const line = [`${clock} ${level.padEnd(5)} ${printableLine(msg ?? '')}`.trimEnd(), ...pairs].join('  ')
  return err === undefined ? `${line}\n` : `${line}\n${err.stack ?? err.message ?? ''}\n`
}

interface LoggedLine {
  readonly level: string
  readonly time: number
  readonly msg?: string
  readonly err?: { readonly message?: string; readonly stack?: string }
  readonly [field: string]: unknown
}

function asWord(value: unknown): string {
  return typeof value === 'string' && /^[^\s"=]+$/.test(value) ? value : JSON.stringify(value)
}
