import { printableLine } from '../core/printable.ts'

/** One of the log's JSON lines as people read it: `12:30:01 warn  message  name=value …`, an error's stack below it. */
export function formatLogLine(json: string): string {
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
