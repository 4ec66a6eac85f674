/** Requests as spans of OTLP. Pure. */
import { createHash } from 'node:crypto'
import { nanoToUsd } from '../../core/money.ts'
import type { RequestRecord } from '../../core/request-record.ts'
import { errorType, operationOf, provider } from './gen-ai.ts'
import { attributesOf, nanoseconds } from './otlp-json.ts'

/** Kind of a span that serves a request from elsewhere. */
const serverKind = 2
const statusError = 2

interface SpanIds {
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId: string | undefined
}

/**
 * Returns the ids of a request's span. Its trace is the caller's (W3C `traceparent`), else its own; ids of our own follow
 * from the request's id, so that its log record has the same.
 */
export function spanIdsOf({ requestId, traceParent }: Pick<RequestRecord, 'requestId' | 'traceParent'>): SpanIds {
  const hash = createHash('sha256').update(requestId).digest('hex')
  const [, traceId = hash.slice(0, 32), parentSpanId] = traceParent?.split('-') ?? []
  return { traceId, spanId: hash.slice(32, 48), parentSpanId }
}

export function toSpan(record: RequestRecord): object {
  const { model, used, costNanoUsd, arrivedAtMs, durationMs } = record
  const { traceId, spanId, parentSpanId } = spanIdsOf(record)
  const operation = operationOf(record)
  const error = errorType(record)
  return {
    traceId,
    spanId,
    ...(parentSpanId !== undefined && { parentSpanId }),
    name: model === undefined ? operation : `${operation} ${model}`,
    kind: serverKind,
    startTimeUnixNano: nanoseconds(arrivedAtMs),
    endTimeUnixNano: nanoseconds(arrivedAtMs + durationMs),
    attributes: attributesOf({
      'gen_ai.operation.name': operation,
      'gen_ai.provider.name': provider,
      'gen_ai.request.model': model,
      'gen_ai.request.stream': record.isStream,
      'gen_ai.response.model': used === undefined ? undefined : model,
      'gen_ai.response.id': record.requestId,
      'gen_ai.response.finish_reasons': record.finish === undefined ? undefined : [record.finish],
      'gen_ai.usage.input_tokens': used?.promptTokens,
      'gen_ai.usage.output_tokens': used?.completionTokens,
      'gen_ai.usage.cache_read.input_tokens': used?.cachedTokens,
      'gen_ai.usage.reasoning.output_tokens': used?.reasoningTokens,
      'http.response.status_code': record.status,
      'error.type': error,
      'inferd.account': record.accountId,
      'inferd.key': record.keyId,
      'inferd.cost_usd': costNanoUsd === undefined ? undefined : nanoToUsd(costNanoUsd),
    }),
    status: error === undefined ? {} : { code: statusError, message: error },
  }
}
