import type { ShippedRecord } from '../shipped-record.ts'
import type { Sink } from '../sink.ts'
import type { OtlpClient } from './otlp-client.ts'
import { toLogRecord } from './otlp-logs.ts'
import { toSpan } from './otlp-spans.ts'

/** Returns the receiver of all records as logs. */
export function otlpLogs(client: OtlpClient, clock: () => number): Sink {
  return {
    name: 'otlp logs',
    send: (records, signal) => {
      const nowMs = clock()
      const items = records.map((record) => toLogRecord(record, nowMs))
      return client.send('logs', items, signal)
    },
    check: async (signal) => void (await client.send('logs', [], signal)),
  }
}

/** Returns the receiver of requests as spans. */
export function otlpSpans(client: OtlpClient): Sink {
  return {
    name: 'otlp traces',
    send: async (records, signal) => {
      const spans = records.filter(isRequest).map(({ record }) => toSpan(record))
      return spans.length === 0 ? 0 : client.send('traces', spans, signal)
    },
    check: async (signal) => void (await client.send('traces', [], signal)),
  }
}

function isRequest(shipped: ShippedRecord): shipped is Extract<ShippedRecord, { readonly kind: 'request' }> {
  return shipped.kind === 'request'
}
