/** Records as messages of syslog (RFC 5424). Pure. */
import type { JsonValue } from '../../core/json.ts'
import { recordFields, recordTimeMs, type Severity, type ShippedRecord, severityOf } from '../shipped-record.ts'

export interface SyslogOrigin {
  readonly hostName: string
  readonly processId: number
}

/** Facilities: `log audit` for changes, `daemon` for the rest. */
const facilities = { audit: 13, request: 3, event: 3 } as const
const severities: Readonly<Record<Severity, number>> = { error: 3, warning: 4, notice: 5, information: 6 }
/** Name of the structured data, with the enterprise number that is free for examples, since this project has none. */
const dataName = 'inferd@32473'
/** Longest value, so that a message fits into a datagram. */
const maximumCharacters = 1_000

/** Returns the message of a record, without framing. */
export function syslogMessage(shipped: ShippedRecord, { hostName, processId }: SyslogOrigin): string {
  const priority = facilities[shipped.kind] * 8 + severities[severityOf(shipped)]
  const time = new Date(recordTimeMs(shipped)).toISOString()
  const header = `<${priority}>1 ${time} ${headerName(hostName)} inferd ${processId} ${shipped.kind}`
  const data = Object.entries(recordFields(shipped)).map(([name, value]) => ` ${name}="${escaped(value)}"`)
  return `${header} [${dataName}${data.join('')}] ${plain(wordsOf(shipped))}`
}

/** Returns a name for the header: visible ASCII without spaces, `-` if nothing is left. */
function headerName(name: string): string {
  return name.replaceAll(/[^!-~]/g, '').slice(0, 255) || '-'
}

/** Returns a value for structured data, in which `"`, `\` and `]` have a backslash before them. */
function escaped(value: JsonValue): string {
  const text = typeof value === 'object' ? JSON.stringify(value) : String(value)
  const short = text.length > maximumCharacters ? `${text.slice(0, maximumCharacters)}…` : text
  return plain(short).replaceAll(/["\\\]]/g, '\\$&')
}

/** Returns a text without control characters, which could begin another message. */
function plain(text: string): string {
  return text.toWellFormed().replaceAll(/\p{Cc}/gu, ' ')
}

/** Returns the text for people. */
function wordsOf(shipped: ShippedRecord): string {
  if (shipped.kind === 'event') return shipped.event.type
  if (shipped.kind === 'audit') return `${shipped.row.action} by ${shipped.row.actor}`
  const { endpoint, status, model } = shipped.record
  return [endpoint, status, model].filter((part) => part !== undefined).join(' ')
}
