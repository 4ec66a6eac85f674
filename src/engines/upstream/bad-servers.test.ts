/**
 * Upstream servers that misbehave in every way: time and memory stay bounded, the status is right, nothing is charged,
 * and none of their internals reach the client.
 */
import { describe, expect, test } from 'bun:test'
import { certificate, privateKey } from '../../testing/own-certificate.ts'
import { startTestServer, type TestServer } from '../../testing/test-server.ts'
import { type FakeUpstream, startFakeUpstream, type UpstreamAnswer } from '../../testing/upstream/fake-upstream.ts'
import { askAs, recordOf, testPricing } from '../../testing/upstream/payer-request.ts'
import { servedBy } from '../../testing/upstream/upstream-host.ts'
import type { EngineLogLine } from '../protocol/engine.ts'

const model = 'test/behind'
const balance = 1_000_000

interface Front extends AsyncDisposable {
  readonly server: TestServer
  readonly upstream: FakeUpstream
  readonly lines: readonly EngineLogLine[]
}

async function startFront(tls?: { cert: string; key: string }): Promise<Front> {
  const upstream = await startFakeUpstream({ flavor: 'vllm', ...(tls && { tls }) })
  const lines: EngineLogLine[] = []
  const log = (line: EngineLogLine) => void lines.push(line)
  const server = startTestServer({
    models: { [model]: servedBy('vllm', [upstream], { pricing: testPricing }) },
    upstream: { log, limits: { idleMs: 200, totalMs: 3_000 } },
    pool: { log },
  })
  return {
    server,
    upstream,
    lines,
    [Symbol.asyncDispose]: async () => {
      await server[Symbol.asyncDispose]()
      await upstream[Symbol.asyncDispose]()
    },
  }
}

/** Sends for as long as the connection lasts. Resolves with the number of bytes sent. */
async function endless(exchange: Parameters<UpstreamAnswer>[0], piece: string): Promise<number> {
  let sentBytes = 0
  while (!exchange.isClosed && sentBytes < 10_000_000_000) {
    await exchange.raw(piece)
    sentBytes += piece.length
  }
  return sentBytes
}

const secret = 'the-secret-of-the-server-behind'
const head = 'HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n'
const content = (text: string) =>
  `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content: text }, finish_reason: null }] })}\n\n`
const mebibyte = 'x'.repeat(1_048_576)

interface BadServer {
  readonly answer: UpstreamAnswer
  readonly status: number
  readonly code: string
}

const badServers: Record<string, BadServer> = {
  'an HTML page': {
    answer: (exchange) => exchange.answer(200, `<html>${secret}</html>`, { 'content-type': 'text/html' }),
    status: 502,
    code: 'engine_failed',
  },
  'an HTML page with status 500': {
    answer: (exchange) => exchange.answer(500, `<html>${secret}</html>`, { 'content-type': 'text/html' }),
    status: 502,
    code: 'engine_failed',
  },
  'a redirect': {
    answer: (exchange) => exchange.answer(307, secret, { location: `http://127.0.0.1:1/${secret}` }),
    status: 502,
    code: 'engine_failed',
  },
  'a refused key': {
    answer: (exchange) => exchange.answer(401, { error: secret }),
    status: 502,
    code: 'engine_failed',
  },
  'an unknown model': {
    answer: (exchange) => exchange.answer(404, { error: secret }),
    status: 502,
    code: 'engine_failed',
  },
  'an event that is no JSON': {
    answer: (exchange) => exchange.raw(`${head}data: ${secret}\n\n`),
    status: 502,
    code: 'engine_failed',
  },
  'an error in the stream': {
    answer: (exchange) => exchange.raw(`${head}data: {"error":{"message":"${secret}","code":500}}\n\n`),
    status: 502,
    code: 'engine_failed',
  },
  'a line without an end': {
    answer: async (exchange) => {
      await exchange.raw(`${head}data: `)
      expect(await endless(exchange, mebibyte)).toBeLessThan(100_000_000)
    },
    status: 502,
    code: 'engine_failed',
  },
  'an event without an end': {
    answer: async (exchange) => {
      await exchange.raw(head)
      expect(await endless(exchange, `data: ${'x'.repeat(65_000)}\n`)).toBeLessThan(100_000_000)
    },
    status: 502,
    code: 'engine_failed',
  },
  'headers without an end': {
    answer: async (exchange) => {
      await exchange.raw('HTTP/1.1 200 OK\r\n')
      expect(await endless(exchange, `x-more: ${'x'.repeat(8_000)}\r\n`)).toBeLessThan(100_000_000)
    },
    status: 502,
    code: 'engine_failed',
  },
  'a body of an error without an end': {
    answer: async (exchange) => {
      await exchange.raw('HTTP/1.1 500 x\r\ncontent-type: text/plain\r\n\r\n')
      expect(await endless(exchange, mebibyte)).toBeLessThan(100_000_000)
    },
    status: 502,
    code: 'engine_failed',
  },
}

describe.each(Object.keys(badServers))('%s', (name) => {
  test.each([true, false])('is a refusal that costs nothing; stream: %p', async (stream) => {
    const bad = badServers[name]
    if (bad === undefined) return
    await using front = await startFront()
    front.upstream.always = bad.answer
    const payer = front.server.payer(balance)
    const beganAtMs = performance.now()
    const response = await askAs(front.server, payer, { model, stream })
    const text = await response.text()
    expect({ status: response.status, code: /"code":"(\w+)"/.exec(text)?.[1] }).toEqual({
      status: bad.status,
      code: bad.code,
    })
    expect(performance.now() - beganAtMs).toBeLessThan(5_000)
    expect(text).not.toContain(secret)
    expect((await recordOf(front.server, response))?.chargedNanoUsd ?? 0).toBe(0)
    expect(payer.money()).toEqual({ balance, held: 0 })
    await front.server.drained()
    expect(front.upstream.problems).toEqual([])
    // The operator's log has more than routine lines.
    expect(front.lines.some(({ level }) => level !== 'info')).toBeTrue()
  })
})

test('a server that is down is a refusal that says when to try again', async () => {
  await using front = await startFront()
  await front.upstream.stop()
  const payer = front.server.payer(balance)
  const response = await askAs(front.server, payer, { model })
  expect([502, 503]).toContain(response.status)
  expect(await response.text()).not.toContain(String(new URL(front.upstream.url).port))
  expect(payer.money()).toEqual({ balance, held: 0 })
  await front.upstream.start()
  expect((await askAs(front.server, payer, { model })).status).toBe(200)
})

test('a certificate that nobody vouches for is refused, and no request is sent', async () => {
  await using front = await startFront({ cert: certificate, key: privateKey })
  const payer = front.server.payer(balance)
  const response = await askAs(front.server, payer, { model })
  expect([502, 503]).toContain(response.status)
  expect(front.upstream.paths).toEqual([])
  expect(payer.money()).toEqual({ balance, held: 0 })
  expect(front.lines.map(({ message }) => message).join('\n')).toContain('certificate')
})

test('a stream that says nothing more for the idle limit ends with an error, though a byte comes now and then', async () => {
  await using front = await startFront()
  front.upstream.always = async (exchange) => {
    await exchange.raw(head + content('One'))
    while (!exchange.isClosed) {
      await exchange.raw(':')
      await Promise.race([Bun.sleep(50), exchange.closedAtMs])
    }
  }
  const payer = front.server.payer(balance)
  const response = await askAs(front.server, payer, { model, stream: true })
  const text = await response.text()
  expect(text).toContain('One')
  expect(text).toContain('"code":"engine_failed"')
  expect(await recordOf(front.server, response)).toMatchObject({ chargedNanoUsd: 0 })
  expect(payer.money()).toEqual({ balance, held: 0 })
})

/** Usages as reported by servers, and whether they are replaced by an estimate. */
const lies: [name: string, usage: unknown, isEstimated: boolean][] = [
  ['negative', { prompt_tokens: -5, completion_tokens: -1 }, true],
  ['enormous', { prompt_tokens: 1e18, completion_tokens: 1e18 }, false],
  ['no numbers', { prompt_tokens: 'many', completion_tokens: null }, true],
  ['fractions', { prompt_tokens: 0.5, completion_tokens: 1.5 }, true],
  ['a list', [], true],
  ['absent', undefined, true],
]

test.each(lies)('a usage that is %s is charged within the hold', async (_, usage, isEstimated) => {
  await using front = await startFront()
  front.upstream.always = async (exchange) => {
    const finish = JSON.stringify({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }], usage })
    await exchange.raw(`${head}${content('One')}data: ${finish}\n\ndata: [DONE]\n\n`)
    exchange.cut()
  }
  const payer = front.server.payer(balance)
  const response = await askAs(front.server, payer, { model, max_tokens: 10 })
  expect(response.status).toBe(200)
  const record = await recordOf(front.server, response)
  expect(payer.money().held).toBe(0)
  expect(record?.used.completionTokens).toBeLessThanOrEqual(10)
  expect(record?.used.promptTokens).toBeGreaterThan(0)
  expect(record?.used.promptTokens).toBeLessThan(200)
  expect(record?.chargedNanoUsd).toBe(balance - payer.money().balance)
  if (isEstimated) expect(record?.isEstimated).toBeTrue()
})

test('a server that goes on past the limit is cut there', async () => {
  await using front = await startFront()
  front.upstream.always = async (exchange) => {
    await exchange.raw(head)
    while (!exchange.isClosed) await exchange.raw(content('word '))
  }
  const payer = front.server.payer(balance)
  const response = await askAs(front.server, payer, { model, max_tokens: 10 })
  const text = await response.text()
  expect(response.status).toBe(200)
  expect(text).toContain('"finish_reason":"length"')
  expect((await recordOf(front.server, response))?.used.completionTokens).toBe(10)
})

const chunk = (delta: object, more: object = {}) =>
  `data: ${JSON.stringify({ choices: [{ index: 0, delta, finish_reason: null, ...more }] })}\n\n`
const call = (called: object) => chunk({ tool_calls: [{ index: 0, function: called }] })
const once = { prompt_tokens: 5, completion_tokens: 1 }

/** Endless streams, by their beginning and the repeated piece. */
const floods: Record<string, [first: string, repeated: string]> = {
  'text, of which it counts the first word alone': [
    `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content: 'One' } }], usage: once })}\n\n`,
    content('word '),
  ],
  'text that it counts as one token': [
    '',
    `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content: 'word '.repeat(1000) } }], usage: once })}\n\n`,
  ],
  'long text with one log probability': [
    '',
    chunk({ content: 'x'.repeat(100_000) }, { logprobs: { content: [{ token: 'x', logprob: -1 }] } }),
  ],
  'log probabilities of long tokens': [
    '',
    chunk({ content: 'x' }, { logprobs: { content: [{ token: 'x'.repeat(100_000), logprob: -1, top_logprobs: [] }] } }),
  ],
  'arguments of a call': [call({ name: 'f', arguments: '{"a":"' }), call({ arguments: 'x'.repeat(100_000) })],
  'the name of a call': ['', call({ name: `x${'y'.repeat(1000)}` })],
  'empty objects': ['', 'data: {}\n\n'],
  'empty pieces': ['', content('')],
  'counts alone': ['', `data: ${JSON.stringify({ choices: [], usage: once })}\n\n`],
  'pieces of another choice': ['', chunk({ content: 'a' }).replace('"index":0', '"index":1')],
  comments: ['', ': still here\n\n'],
  'blank lines': ['', '\n'],
}

describe.each(Object.keys(floods))('a stream of %s without end', (name) => {
  test('ends soon, small, and within the hold', async () => {
    await using front = await startFront()
    const [first = '', repeated = ''] = floods[name] ?? []
    front.upstream.always = async (exchange) => {
      await exchange.raw(head + first)
      const many = repeated.repeat(Math.ceil(65_536 / repeated.length))
      expect(await endless(exchange, many)).toBeLessThan(100_000_000)
    }
    const payer = front.server.payer(balance)
    const tools = [{ type: 'function', function: { name: 'f' } }]
    const response = await askAs(front.server, payer, { model, tools, stream: true, max_tokens: 10, logprobs: true })
    const text = await response.text()
    expect(text.length).toBeLessThan(2_000_000)
    expect(text).toMatch(/"finish_reason":"length"|"code":"engine_failed"/)
    const record = await recordOf(front.server, response)
    expect(record?.used.completionTokens ?? 0).toBeLessThanOrEqual(10)
    expect(payer.money()).toEqual({ balance: balance - (record?.chargedNanoUsd ?? 0), held: 0 })
    await front.server.drained()
    expect(front.upstream.problems).toEqual([])
  })
})

test('bad servers leave no memory behind', async () => {
  await using front = await startFront()
  front.upstream.always = async (exchange) => {
    await exchange.raw(`${head}data: `)
    await endless(exchange, mebibyte)
  }
  const payer = front.server.payer(balance)
  const ask = async () => void (await (await askAs(front.server, payer, { model, stream: true })).text())
  for (let round = 0; round < 5; round++) await ask()
  Bun.gc(true)
  const beforeBytes = process.memoryUsage.rss()
  for (let round = 0; round < 30; round++) await ask()
  Bun.gc(true)
  // Keeping 30 lines whole would take far more.
  expect(process.memoryUsage.rss() - beforeBytes).toBeLessThan(150_000_000)
})
