import { afterEach, expect, test } from 'bun:test'
import { Counter, Gauge, Histogram, Registry } from 'prom-client'
import type { RequestRecord } from '../../core/request-record.ts'
import { nothingConsumed } from '../../core/usage.ts'
import type { ShippedRecord } from '../shipped-record.ts'
import { SinkRefusal } from '../sink.ts'
import { GenAiMetrics } from './gen-ai-metrics.ts'
import { OtlpClient, type OtlpOptions } from './otlp-client.ts'
import { type CollectedMetric, toOtlpMetric } from './otlp-metrics.ts'
import { otlpLogs, otlpSpans } from './otlp-sinks.ts'
import { toSpan } from './otlp-spans.ts'

const { signal } = new AbortController()
const record: RequestRecord = {
  ...{ requestId: 'req_1', state: 'ended', arrivedAtMs: 1_000, durationMs: 1_500.5, firstOutputMs: 500, status: 200 },
  ...{ endpoint: 'chat/completions', model: 'a/b', accountId: 'acc_1', keyId: 'key_1', isStream: true, finish: 'stop' },
  used: { ...nothingConsumed, promptTokens: 7, cachedTokens: 3, completionTokens: 11, reasoningTokens: 2 },
  costNanoUsd: 1_500,
  ...{ path: '/v1/chat/completions', cause: new Error('hidden prompt') },
}
const request: ShippedRecord = { kind: 'request', record }
const audit: ShippedRecord = {
  kind: 'audit',
  row: { id: 3, createdMs: 5, actor: 'cli:root', action: 'credit', accountId: 'acc_1', details: { amountNanoUsd: 1 } },
}

const closing: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closing.splice(0)) await close()
})

/** Starts a collector that gives this answer, and a client of it. */
function collector(answer: (request: Request) => Response | Promise<Response>, options: Partial<OtlpOptions> = {}) {
  const received: { readonly path: string; readonly headers: Headers; readonly body: unknown }[] = []
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch: async (sent) => {
      received.push({ path: new URL(sent.url).pathname, headers: sent.headers, body: await sent.clone().json() })
      return answer(sent)
    },
  })
  closing.push(() => server.stop(true))
  const endpoint = `http://127.0.0.1:${server.port}/otlp/`
  const client = new OtlpClient({
    ...{
      endpoint,
      headers: { authorization: 'Bearer hidden' },
      version: '1.2.3',
      hostName: 'box1',
      instanceId: 'run1',
    },
    ...options,
  })
  return { client, received }
}

const ok = () => Response.json({})

test('records arrive as logs with the resource of this server, the headers of the setting, and 64-bit numbers as text', async () => {
  const { client, received } = collector(ok)
  expect(await otlpLogs(client, () => 9).send([audit], signal)).toBe(0)
  const [{ path, headers, body } = { path: '', headers: new Headers(), body: undefined }] = received
  expect([path, headers.get('authorization'), headers.get('content-type')]).toEqual([
    ...['/otlp/v1/logs', 'Bearer hidden', 'application/json'],
  ])
  const text = (key: string, stringValue: string) => ({ key, value: { stringValue } })
  expect(body).toEqual({
    resourceLogs: [
      {
        resource: {
          attributes: [
            ...[text('service.name', 'inferd'), text('service.version', '1.2.3'), text('service.instance.id', 'run1')],
            text('host.name', 'box1'),
          ],
        },
        scopeLogs: [
          {
            scope: { name: 'inferd', version: '1.2.3' },
            logRecords: [
              {
                ...{
                  timeUnixNano: '5000000',
                  observedTimeUnixNano: '9000000',
                  severityNumber: 9,
                  severityText: 'INFO',
                },
                ...{ body: { stringValue: 'credit' }, eventName: 'inferd.audit' },
                attributes: [
                  { key: 'inferd.id', value: { intValue: '3' } },
                  ...[
                    text('inferd.actor', 'cli:root'),
                    text('inferd.action', 'credit'),
                    text('inferd.account', 'acc_1'),
                  ],
                  text('inferd.details', '{"amountNanoUsd":1}'),
                ],
              },
            ],
          },
        ],
      },
    ],
  })
})

test('a request is a span named by operation and model, with the attributes of the GenAI conventions and no content', async () => {
  const { client, received } = collector(ok)
  await otlpSpans(client).send([audit, request], signal)
  expect(received.map(({ path }) => path)).toEqual(['/otlp/v1/traces'])
  expect(JSON.stringify(received)).not.toContain('hidden prompt')
  expect(toSpan(record)).toMatchObject({
    name: 'chat a/b',
    kind: 2,
    startTimeUnixNano: '1000000000',
    endTimeUnixNano: '2500500000',
    status: {},
  })
  const attributes = (toSpan(record) as { attributes: { key: string; value: object }[] }).attributes
  expect(Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]))).toEqual({
    'gen_ai.operation.name': 'chat',
    'gen_ai.provider.name': 'inferd',
    'gen_ai.request.model': 'a/b',
    'gen_ai.request.stream': true,
    'gen_ai.response.model': 'a/b',
    'gen_ai.response.id': 'req_1',
    'gen_ai.response.finish_reasons': { values: [{ stringValue: 'stop' }] },
    'gen_ai.usage.input_tokens': '7',
    'gen_ai.usage.output_tokens': '11',
    'gen_ai.usage.cache_read.input_tokens': '3',
    'gen_ai.usage.reasoning.output_tokens': '2',
    'http.response.status_code': '200',
    'inferd.account': 'acc_1',
    'inferd.key': 'key_1',
    'inferd.cost_usd': 0.0000015,
  })
})

test('a span belongs to the trace of the caller, and to its own without one', () => {
  const traceParent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'
  expect(toSpan({ ...record, traceParent })).toMatchObject({
    ...{ traceId: '0af7651916cd43dd8448eb211c80319c', parentSpanId: 'b7ad6b7169203331' },
    spanId: expect.stringMatching(/^[0-9a-f]{16}$/),
  })
  const own = toSpan(record)
  expect(own).toMatchObject({ traceId: expect.stringMatching(/^[0-9a-f]{32}$/) })
  expect(own).not.toHaveProperty('parentSpanId')
})

test('a failed request has an error type', () => {
  expect(toSpan({ ...record, status: 503, code: 'overloaded' })).toMatchObject({
    status: { code: 2, message: 'overloaded' },
    attributes: expect.arrayContaining([{ key: 'error.type', value: { stringValue: 'overloaded' } }]),
  })
})

test.each([
  [400, 'records'],
  [422, 'records'],
  [413, 'size'],
  ...[401, 404, 415, 429, 500, 503, 307].map((status) => [status, 'for-now'] as const),
])('a status %d is a refusal of the kind %p', async (status, kind) => {
  const { client } = collector(() => new Response('no', { status, headers: { 'retry-after': '7', location: '/' } }))
  const error = await client.send('logs', [], signal).catch((thrown: unknown) => thrown)
  expect(error).toBeInstanceOf(SinkRefusal)
  expect(error).toMatchObject({ kind, retryAfterMs: 7_000 })
  expect(String(error)).not.toContain('hidden')
})

test('a redirect is not followed, so that the headers reach no other server', async () => {
  const other = collector(ok)
  const { client } = collector(() => Response.redirect('http://127.0.0.1:9/', 307))
  await client.send('logs', [], signal).catch(() => undefined)
  expect(other.received).toEqual([])
})

test('a collector that takes a part says how many it refuses', async () => {
  const { client } = collector(() => Response.json({ partialSuccess: { rejectedLogRecords: '2' } }))
  expect(await client.send('logs', [{}, {}, {}], signal)).toBe(2)
})

test.each(['x', -1, {}, null])(
  'a collector that refuses %p counts as one that takes all',
  async (rejectedLogRecords) => {
    const { client } = collector(() => Response.json({ partialSuccess: { rejectedLogRecords } }))
    expect(await client.send('logs', [{}], signal)).toBe(0)
  },
)

test('a collector refuses at most what it got', async () => {
  const { client } = collector(() => Response.json({ partialSuccess: { rejectedLogRecords: 9e15 } }))
  expect(await client.send('logs', [{}], signal)).toBe(1)
})

test('an answer that is no JSON, is empty or never ends counts as taken', async () => {
  const endless = () => new Response(new ReadableStream({ pull: (it) => it.enqueue(new Uint8Array(1_000)) }))
  for (const answer of [() => new Response('<html>'), () => new Response(), endless]) {
    expect(await collector(answer).client.send('logs', [], signal)).toBe(0)
  }
})

test('metrics keep names, labels and sums; buckets of histograms count each alone', async () => {
  const registry = new Registry()
  const registers = [registry]
  new Counter({ name: 'requests_total', help: 'Requests.', labelNames: ['model'], registers }).inc({ model: 'a' }, 3)
  new Gauge({ name: 'free_bytes', help: 'Free.', registers }).set(1.5)
  const histogram = new Histogram({
    name: 'wait_seconds',
    help: 'Wait.',
    buckets: [1, 2],
    labelNames: ['model'],
    registers,
  })
  for (const seconds of [0.5, 1.5, 1.75, 9]) histogram.observe({ model: 'a' }, seconds)
  const metrics: CollectedMetric[] = await registry.getMetricsAsJSON()
  const point = { startTimeUnixNano: '1000000', timeUnixNano: '2000000' }
  const ofModel = [{ key: 'model', value: { stringValue: 'a' } }]
  expect(metrics.map((metric) => toOtlpMetric(metric, { startMs: 1, nowMs: 2 }))).toEqual([
    {
      ...{ name: 'requests_total', description: 'Requests.' },
      sum: {
        dataPoints: [{ ...point, attributes: ofModel, asDouble: 3 }],
        ...{ aggregationTemporality: 2, isMonotonic: true },
      },
    },
    {
      ...{ name: 'free_bytes', description: 'Free.' },
      gauge: { dataPoints: [{ ...point, attributes: [], asDouble: 1.5 }] },
    },
    {
      ...{ name: 'wait_seconds', description: 'Wait.' },
      histogram: {
        dataPoints: [
          {
            ...{ ...point, attributes: ofModel, count: '4', sum: 12.75 },
            ...{ bucketCounts: ['1', '2', '1'], explicitBounds: [1, 2] },
          },
        ],
        aggregationTemporality: 2,
      },
    },
  ])
})

test('requests are counted by the names of the GenAI conventions', async () => {
  const metrics = new GenAiMetrics()
  metrics.count(record)
  metrics.count({ ...record, status: 503, code: 'overloaded' })
  const collected = await metrics.collected()
  const sums = collected.flatMap(({ name, values }) =>
    values.flatMap(({ metricName, labels, value }) => (metricName?.endsWith('_sum') ? [[name, labels, value]] : [])),
  )
  const labels = { 'gen_ai.operation.name': 'chat', 'gen_ai.request.model': 'a/b', 'gen_ai.provider.name': 'inferd' }
  expect(sums).toEqual([
    ['gen_ai.server.request.duration', labels, 1.5005],
    ['gen_ai.server.request.duration', { ...labels, 'error.type': 'overloaded' }, 1.5005],
    ['gen_ai.server.time_to_first_token', labels, 0.5],
    ['gen_ai.server.time_per_output_token', labels, 0.10005],
  ])
})
