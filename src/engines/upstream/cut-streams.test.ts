/** Streams that end after any byte: the client gets a status or an error event, and pays only for whole answers. */
import { afterAll, expect, test } from 'bun:test'
import { startTestServer } from '../../testing/test-server.ts'
import { startFakeUpstream, type UpstreamAnswer } from '../../testing/upstream/fake-upstream.ts'
import { askAs, testPricing } from '../../testing/upstream/payer-request.ts'
import { servedBy } from '../../testing/upstream/upstream-host.ts'

const upstream = await startFakeUpstream({ flavor: 'vllm' })
/** Models for parallel requests, each with a separate breaker. */
const workers = Array.from({ length: 8 }, (_, index) => `test/behind-${index}`)
const server = startTestServer({
  parallel: 16,
  models: Object.fromEntries(workers.map((id) => [id, servedBy('vllm', [upstream], { pricing: testPricing })])),
})

afterAll(async () => {
  await server[Symbol.asyncDispose]()
  await upstream[Symbol.asyncDispose]()
})

const chunk = (delta: object, finish_reason: string | null, completion_tokens: number) => {
  const usage = { prompt_tokens: 9, completion_tokens }
  return `data: ${JSON.stringify({ choices: [{ index: 0, delta, finish_reason }], usage })}\n\n`
}
const events = [
  ': hello\n\n',
  chunk({ role: 'assistant', content: '' }, null, 0),
  chunk({ content: 'Hé' }, null, 1),
  chunk({ tool_calls: [{ index: 0, id: 'a', type: 'function', function: { name: 'now', arguments: '{}' } }] }, null, 2),
  chunk({}, 'tool_calls', 2),
  'data: [DONE]\n\n',
]
const head = 'HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n'
const recorded = Buffer.from(head + events.join(''))
/** Returns the bytes up to the end of event `count`, without its blank line. */
const endOf = (count: number) => Buffer.from(head + events.slice(0, count).join('')).length - 2

const cutAfter =
  (bytes: number): UpstreamAnswer =>
  async (exchange) => {
    exchange.cutAfterBytes = bytes
    await exchange.raw(recorded)
    if (!exchange.isClosed) exchange.cut()
  }

interface Outcome {
  readonly bytes: number
  readonly status: number
  readonly text: string
  readonly chargedNanoUsd: number
}

const price = 9 * 10 + 2 * 30

/** Sends requests to the model, one after the other, each with its stream cut at another byte. */
async function cutAll(model: string, cuts: readonly number[], stream: boolean): Promise<Outcome[]> {
  const outcomes: Outcome[] = []
  for (const bytes of cuts) {
    const payer = server.payer(1_000_000)
    const tools = [{ type: 'function', function: { name: 'now', parameters: { type: 'object', properties: {} } } }]
    // The message identifies the request to the fake server.
    const response = await askAs(server, payer, { model, stream, tools, script: [{ text: `cut ${bytes}` }] })
    const text = await response.text()
    const requestId = response.headers.get('x-request-id')
    await server.line((line) => line.requestId === requestId)
    const { balance, held } = payer.money()
    expect(held).toBe(0)
    outcomes.push({ bytes, status: response.status, text, chargedNanoUsd: 1_000_000 - balance })
  }
  return outcomes
}

async function cutEverywhere(stream: boolean): Promise<Outcome[]> {
  upstream.always = (exchange, play) =>
    cutAfter(Number(/cut (\d+)/.exec(exchange.body.toString())?.[1]))(exchange, play)
  const cuts = Array.from({ length: recorded.length }, (_, bytes) => bytes)
  const parts = await Promise.all(
    workers.map((model, worker) =>
      cutAll(
        model,
        cuts.filter((bytes) => bytes % workers.length === worker),
        stream,
      ),
    ),
  )
  return parts.flat()
}

test('a stream that is cut after any byte ends with an error and costs nothing, unless it was whole', async () => {
  for (const { bytes, status, text, chargedNanoUsd } of await cutEverywhere(true)) {
    const where = `cut after ${bytes} of ${recorded.length} bytes: ${status} ${text}`
    if (bytes >= endOf(5) + 1) {
      expect({ where, chargedNanoUsd, isWhole: text.endsWith('data: [DONE]\n\n') }).toEqual({
        where,
        chargedNanoUsd: price,
        isWhole: true,
      })
      expect(text).not.toContain('"error"')
      continue
    }
    // The stream may end with the last byte of the finishing event.
    if (bytes >= endOf(5) - 1) continue
    expect({ where, chargedNanoUsd }).toEqual({ where, chargedNanoUsd: 0 })
    expect({ where, code: /"code":"(\w+)"/.exec(text)?.[1] }).toEqual({ where, code: 'engine_failed' })
    expect({ where, status }).toEqual({ where, status: bytes > endOf(3) ? 200 : bytes > endOf(2) - 1 ? status : 502 })
    if (status === 200) expect(text).toContain('"error"')
  }
}, 60_000)

test('a whole answer is one, or a status that says it failed and costs nothing', async () => {
  for (const { bytes, status, text, chargedNanoUsd } of await cutEverywhere(false)) {
    const where = `cut after ${bytes} of ${recorded.length} bytes: ${status} ${text}`
    if (bytes >= endOf(5) + 1)
      expect({ where, status, chargedNanoUsd }).toEqual({ where, status: 200, chargedNanoUsd: price })
    else if (bytes < endOf(5) - 1)
      expect({ where, status, chargedNanoUsd }).toEqual({ where, status: 502, chargedNanoUsd: 0 })
  }
}, 60_000)
