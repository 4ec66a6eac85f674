/**
 * Records that leave the server, with their fields. A field that is not listed here does not leave: neither prompts and
 * answers, nor the texts of errors, which may quote them.
 */
import type { JsonValue } from '../core/json.ts'
import { nanoToDecimal } from '../core/money.ts'
import type { RequestRecord } from '../core/request-record.ts'
import { eventData, type ServiceEvent } from '../core/service-events.ts'
import type { AuditRow } from '../db/audit-log.ts'

export type ShippedRecord =
  | { readonly kind: 'audit'; readonly row: AuditRow }
  | { readonly kind: 'request'; readonly record: RequestRecord }
  | { readonly kind: 'event'; readonly event: ServiceEvent; readonly atMs: number }

type Fields = Readonly<Record<string, JsonValue>>

/** Time of the change, of the request's arrival, or of the event, in milliseconds UTC. */
export function recordTimeMs(shipped: ShippedRecord): number {
  if (shipped.kind === 'audit') return shipped.row.createdMs
  return shipped.kind === 'request' ? shipped.record.arrivedAtMs : shipped.atMs
}

export type Severity = 'error' | 'warning' | 'notice' | 'information'

/** Returns how serious a record is: `error` for a fault of this server, `warning` for an event, `notice` for a change. */
export function severityOf(shipped: ShippedRecord): Severity {
  if (shipped.kind === 'audit') return 'notice'
  if (shipped.kind === 'event') return 'warning'
  return (shipped.record.status ?? 0) >= 500 ? 'error' : 'information'
}

/** Returns the fields of a record, besides its time and kind. Absent values are left out. */
export function recordFields(shipped: ShippedRecord): Fields {
  const fields = allFields(shipped)
  return Object.fromEntries(
    Object.entries(fields).filter((entry): entry is [string, JsonValue] => entry[1] !== undefined),
  )
}

function allFields(shipped: ShippedRecord): Readonly<Record<string, JsonValue | undefined>> {
  if (shipped.kind === 'event') return { type: shipped.event.type, ...eventData(shipped.event) }
  if (shipped.kind === 'request') return requestFields(shipped.record)
  const { id, actor, action, accountId, details } = shipped.row
  return { id, actor, action, account: accountId, details }
}

function requestFields(record: RequestRecord): Readonly<Record<string, JsonValue | undefined>> {
  const { used, costNanoUsd } = record
  return {
    request_id: record.requestId,
    caller_request_id: record.callerRequestId,
    account: record.accountId,
    key: record.keyId,
    model: record.model,
    endpoint: record.endpoint,
    status: record.status,
    code: record.code,
    finish: record.finish,
    duration_ms: rounded(record.durationMs),
    queued_ms: rounded(record.queuedMs),
    loading_ms: rounded(record.loadingMs),
    running_ms: rounded(record.runningMs),
    first_output_ms: rounded(record.firstOutputMs),
    prompt_tokens: used?.promptTokens,
    cached_tokens: used?.cachedTokens,
    completion_tokens: used?.completionTokens,
    reasoning_tokens: used?.reasoningTokens,
    characters: used?.characters || undefined,
    audio_ms: used?.audioMs || undefined,
    images: used?.images || undefined,
    searches: used?.searches,
    cost_usd: costNanoUsd === undefined ? undefined : nanoToDecimal(costNanoUsd),
    stream: record.isStream,
    aborted: record.isAborted,
    estimated: record.isEstimated === true ? true : undefined,
  }
}

function rounded(ms: number | undefined): number | undefined {
  return ms === undefined ? undefined : Math.round(ms)
}
