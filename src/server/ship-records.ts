/** Records that the server sends to receivers outside, each only where a setting names it. */
import { readFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { type Config, version } from '../config/config.ts'
import { readHeaders } from '../config/kinds.ts'
import { minuteMs } from '../core/durations.ts'
import { errorText } from '../core/error-text.ts'
import type { Stores } from '../operations/stores.ts'
import { FileSink } from '../shipping/file-sink.ts'
import { GenAiMetrics } from '../shipping/otlp/gen-ai-metrics.ts'
import { OtlpClient, type OtlpSignal } from '../shipping/otlp/otlp-client.ts'
import { type CollectedMetric, toOtlpMetric } from '../shipping/otlp/otlp-metrics.ts'
import { otlpLogs, otlpSpans } from '../shipping/otlp/otlp-sinks.ts'
import type { ShippedRecord } from '../shipping/shipped-record.ts'
import { Shipper } from '../shipping/shipper.ts'
import type { Sink } from '../shipping/sink.ts'
import { readSyslogAddress, SyslogSink } from '../shipping/syslog/syslog-sink.ts'
import type { Log } from '../telemetry/log.ts'
import type { RecentRequests } from '../telemetry/recent-requests.ts'

interface ShippingParts {
  readonly config: Config
  readonly stores: Stores
  readonly log: Log
  readonly boxId: string
}

/** Receivers of records. */
export interface Shipping {
  readonly shippers: readonly Shipper[]
  /** Passes on what happens from now on. */
  follow(requests: RecentRequests, metrics: { json(): Promise<CollectedMetric[]> }): void
}

/** Creates the receivers that the settings name. `closing` ends them. */
export function openShipping(parts: ShippingParts, closing: AsyncDisposableStack): Shipping {
  const { config, stores, log } = parts
  const file = fileSink(config, closing)
  const otlp = otlpClient(parts)
  const ships = (kind: 'audit' | 'requests') => config.shipRecords === 'all' || config.shipRecords === kind
  const hasSignal = (signal: OtlpSignal) => config.otlpSignals.length === 0 || config.otlpSignals.includes(signal)
  const sinks: readonly (Sink | undefined)[] = [
    file,
    syslogSink(config),
    otlp !== undefined && hasSignal('logs') ? otlpLogs(otlp, Date.now) : undefined,
    otlp !== undefined && hasSignal('traces') ? otlpSpans(otlp) : undefined,
  ]
  const shippers = sinks
    .filter((sink) => sink !== undefined)
    .map((sink) => {
      const takesAudit = ships('audit') && sink.name !== 'otlp traces'
      const options = { sink, positions: stores.readPositions, commits: stores.commits, log, clock: Date.now }
      return new Shipper({ ...options, audit: takesAudit ? stores.audit : undefined })
    })
  closing.defer(async () => void (await Promise.all(shippers.map((shipper) => shipper.stop()))))
  const put = (record: ShippedRecord) => {
    for (const shipper of shippers) shipper.put(record)
  }
  return {
    shippers,
    follow(requests, metrics) {
      for (const shipper of shippers) shipper.start()
      if (shippers.length > 0) stores.events.onEvent((event) => put({ kind: 'event', event, atMs: Date.now() }))
      if (shippers.length > 0 && ships('requests')) requests.onEnd((record) => put({ kind: 'request', record }))
      if (otlp !== undefined && hasSignal('metrics')) sendMetrics({ otlp, requests, metrics, log }, closing)
    },
  }
}

/** Returns the certificates that receivers may have besides the usual ones. */
export function shipCertificates({ shipCa }: Config): string | undefined {
  return shipCa === undefined ? undefined : readFileSync(shipCa, 'utf8')
}

function fileSink(config: Config, closing: AsyncDisposableStack): FileSink | undefined {
  const { recordsFile: path, recordsFileSizeBytes: maximumBytes, recordsFileDays: keepDays } = config
  if (path === undefined) return undefined
  const sink = new FileSink({ path, maximumBytes, keepDays })
  const reopen = () => sink.reopen()
  process.on('SIGHUP', reopen)
  closing.defer(() => void process.off('SIGHUP', reopen))
  return sink
}

function syslogSink(config: Config): SyslogSink | undefined {
  if (config.syslog === undefined) return undefined
  const origin = { hostName: hostname(), processId: process.pid }
  return new SyslogSink({ address: readSyslogAddress(config.syslog), origin, ca: shipCertificates(config) })
}

function otlpClient({ config, boxId }: ShippingParts): OtlpClient | undefined {
  const { otlpEndpoint: endpoint, otlpHeaders } = config
  if (endpoint === undefined) return undefined
  const headers = readHeaders(otlpHeaders ?? '') ?? {}
  return new OtlpClient({
    endpoint,
    headers,
    ca: shipCertificates(config),
    version,
    hostName: hostname(),
    instanceId: boxId,
  })
}

interface MetricsParts {
  readonly otlp: OtlpClient
  readonly requests: RecentRequests
  readonly metrics: { json(): Promise<CollectedMetric[]> }
  readonly log: Log
}

/** Sends all metrics each minute. Nothing is kept for a receiver that is away: the next figures include these. */
function sendMetrics({ otlp, requests, metrics, log }: MetricsParts, closing: AsyncDisposableStack): void {
  const startMs = Date.now()
  const stopping = new AbortController()
  const genAi = new GenAiMetrics()
  requests.onEnd((record) => genAi.count(record))
  let isFailing = false
  const send = async () => {
    const collected = [...(await metrics.json()), ...(await genAi.collected())]
    const span = { startMs, nowMs: Date.now() }
    const items = collected.map((metric) => toOtlpMetric(metric, span)).filter((metric) => metric !== undefined)
    await otlp.send('metrics', items, stopping.signal)
  }
  const timer = setInterval(() => {
    send().then(
      () => {
        isFailing = false
      },
      (error: unknown) => {
        if (!isFailing && !stopping.signal.aborted) log.warn({ reason: errorText(error) }, 'metrics not taken')
        isFailing = true
      },
    )
  }, minuteMs)
  timer.unref()
  closing.defer(() => {
    clearInterval(timer)
    stopping.abort(new Error('the server stopped'))
  })
}
