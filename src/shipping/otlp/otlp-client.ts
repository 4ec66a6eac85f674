import { rootCertificates } from 'node:tls'
import { fieldOf, jsonIn } from '../../core/json.ts'
import { readRetryAfterMs } from '../../core/retry-after.ts'
import { type RefusalKind, SinkRefusal } from '../sink.ts'
import { attributesOf } from './otlp-json.ts'

const limitMs = 10_000
const maximumAnswerBytes = 64 * 1024

export type OtlpSignal = 'logs' | 'metrics' | 'traces'

export interface OtlpOptions {
  /** Address without the signal's path. */
  readonly endpoint: string
  readonly headers: Readonly<Record<string, string>>
  /** Certificates (PEM) that are trusted besides the usual ones. */
  readonly ca?: string | undefined
  readonly version: string
  readonly hostName: string
  /** Id of this run of the server. */
  readonly instanceId: string
}

const wrappers = {
  logs: { resources: 'resourceLogs', scopes: 'scopeLogs', items: 'logRecords', rejected: 'rejectedLogRecords' },
  metrics: { resources: 'resourceMetrics', scopes: 'scopeMetrics', items: 'metrics', rejected: 'rejectedDataPoints' },
  traces: { resources: 'resourceSpans', scopes: 'scopeSpans', items: 'spans', rejected: 'rejectedSpans' },
} as const

/**
 * Refusals of the records themselves by status. Other ones mean a wrong setting or a receiver in trouble, for which records
 * wait.
 */
const refusals: Readonly<Record<number, RefusalKind>> = { 400: 'records', 413: 'size', 422: 'records' }

/** Client of an OpenTelemetry collector (OTLP over HTTP in JSON). */
export class OtlpClient {
  readonly #options: OtlpOptions
  readonly #resource: object

  constructor(options: OtlpOptions) {
    this.#options = options
    this.#resource = {
      attributes: attributesOf({
        'service.name': 'inferd',
        'service.version': options.version,
        'service.instance.id': options.instanceId,
        'host.name': options.hostName,
      }),
    }
  }

  /**
   * Sends items of a signal, and returns how many of them the collector says that it refuses. Rejects with SinkRefusal, or
   * with the reason why there was no answer.
   */
  async send(signal: OtlpSignal, items: readonly object[], stopping: AbortSignal): Promise<number> {
    const { endpoint, headers, ca, version } = this.#options
    const { resources, scopes, items: named, rejected } = wrappers[signal]
    const scope = { name: 'inferd', version }
    const body = { [resources]: [{ resource: this.#resource, [scopes]: [{ scope, [named]: items }] }] }
    const timeLimit = AbortSignal.timeout(limitMs)
    const answer = await fetch(`${endpoint.replace(/\/$/, '')}/v1/${signal}`, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json', 'user-agent': `inferd/${version}` },
      body: JSON.stringify(body),
      redirect: 'manual',
      signal: AbortSignal.any([stopping, timeLimit]),
      ...(ca !== undefined && { tls: { ca: [...rootCertificates, ca] } }),
    }).catch((error: unknown) => {
      throw timeLimit.aborted ? new Error(`no answer within ${limitMs / 1000} s`) : error
    })
    if (!answer.ok) throw await refusalOf(answer)
    const isShort = Number(answer.headers.get('content-length') ?? Number.NaN) <= maximumAnswerBytes
    if (!isShort) await answer.body?.cancel()
    const partial = isShort ? fieldOf(jsonIn(await answer.text()), 'partialSuccess') : undefined
    const refused = Number(fieldOf(partial, rejected) ?? 0)
    return refused >= 0 ? Math.min(refused, items.length) : 0 // a collector may answer anything
  }
}

async function refusalOf(answer: Response): Promise<SinkRefusal> {
  await answer.body?.cancel().catch(() => undefined) // nothing of it is used
  const { status, headers } = answer
  const isRedirect = status >= 300 && status < 400
  const words = isRedirect ? `status ${status}: redirects are not followed` : `status ${status}`
  const retryAfterMs = readRetryAfterMs(headers.get('retry-after'), Date.now())
  return new SinkRefusal(words, { kind: refusals[status] ?? 'for-now', retryAfterMs })
}
