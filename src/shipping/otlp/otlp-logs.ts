/** Records as log records of OTLP. Pure. */
import { recordFields, recordTimeMs, type Severity, type ShippedRecord, severityOf } from '../shipped-record.ts'
import { attributesOf, nanoseconds } from './otlp-json.ts'
import { spanIdsOf } from './otlp-spans.ts'

/** Returns a record as a log record. Its attributes are the fields of the record with `inferd.` before them. */
export function toLogRecord(shipped: ShippedRecord, observedMs: number): object {
  const [severityNumber, severityText] = severities[severityOf(shipped)]
  const fields = Object.entries(recordFields(shipped)).map(([name, value]) => [
    `inferd.${name}`,
    typeof value === 'object' ? JSON.stringify(value) : value,
  ])
  const ids = shipped.kind === 'request' ? spanIdsOf(shipped.record) : undefined
  return {
    timeUnixNano: nanoseconds(recordTimeMs(shipped)),
    observedTimeUnixNano: nanoseconds(observedMs),
    severityNumber,
    severityText,
    body: { stringValue: bodyOf(shipped) },
    eventName: `inferd.${shipped.kind}`,
    attributes: attributesOf(Object.fromEntries(fields)),
    ...(ids !== undefined && { traceId: ids.traceId, spanId: ids.spanId }),
  }
}

const severities: Readonly<Record<Severity, readonly [number: number, text: string]>> = {
  error: [17, 'ERROR'],
  warning: [13, 'WARN'],
  notice: [9, 'INFO'],
  information: [9, 'INFO'],
}

function bodyOf(shipped: ShippedRecord): string {
  if (shipped.kind === 'event') return shipped.event.type
  return shipped.kind === 'audit' ? shipped.row.action : (shipped.record.endpoint ?? 'request')
}
