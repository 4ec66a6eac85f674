/** Log lines, which are JSON, in a form for people. Keys and mail addresses are removed. */
import { printable, printableLine } from '../core/printable.ts'

/** Line of the log's tail. */
export interface TailLine {
  /** Milliseconds UTC. */
  readonly atMs: number
  readonly level: string
  /** Message and its fields, followed by an error's stack. */
  readonly text: string
}

/** Longest text of a line. Longer ones are cut, so that a page's event stays small. */
const maximumCharacters = 3_000

const keyPattern = /sk-inferd-[0-9A-Za-z]{8,}/g
// A match begins after a JSON escape, never within one. The limits keep the time linear for long lines.
const mailPattern = /(?<!\\(?:u[0-9a-f]{0,3})?)[^\s\\<>"'=(:,;@]{1,64}@(?:[\p{L}\d-]{1,63}\.){1,9}\p{L}{2,}/gu

/** Removes secrets from an error's text, since mail servers quote the address that they refuse. */
export function withoutSecrets(text: string): string {
  return printable(text).replace(keyPattern, 'sk-inferd-[redacted]').replace(mailPattern, '[mail address]')
}

/**
 * Formats one of the log's JSON lines for people: `12:30:01 warn  message  name=value …`, with an error's stack below
 * it.
 */
export function formatLogLine(json: string): string {
  const line = parseLine(json)
  const clock = new Date(line.time).toISOString().slice(11, 19)
  return `${`${clock} ${line.level.padEnd(5)} ${wordsOf(line)}`.trimEnd()}\n`
}

export function tailLine(json: string): TailLine {
  const line = parseLine(json)
  const text = withoutSecrets(wordsOf(line))
  const isLong = text.length > maximumCharacters
  return {
    atMs: line.time,
    level: line.level,
    text: isLong ? `${text.slice(0, maximumCharacters).toWellFormed()}…` : text,
  }
}

/** Returns `message  name=value …`, with an error's stack below it. */
function wordsOf({ level: _level, time: _time, msg, err, ...fields }: LoggedLine): string {
  const pairs = Object.entries(fields).map(([name, value]) => `${name}=${asWord(value)}`)
  const line = [printableLine(msg ?? ''), ...pairs].join('  ')
  return err === undefined ? line : `${line}\n${err.stack ?? err.message ?? ''}`
}

/** Parses a line without checks, since the log itself wrote it. */
function parseLine(json: string): LoggedLine {
  return JSON.parse(json) as LoggedLine
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
