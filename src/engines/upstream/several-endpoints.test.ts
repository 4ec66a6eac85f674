/**
 * Two servers serve one model: a request that one fails goes to the other, unless the client has already seen output.
 */
import { expect, test } from 'bun:test'
import { systemClock } from '../../core/clock.ts'
import type { EndpointState } from '../../core/endpoint-state.ts'
import { startTestServer, type TestServer } from '../../testing/test-server.ts'
import { type FakeUpstream, startFakeUpstream, type UpstreamAnswer } from '../../testing/upstream/fake-upstream.ts'
import { askAs, recordOf, testPricing } from '../../testing/upstream/payer-request.ts'
import { servedBy } from '../../testing/upstream/upstream-host.ts'
import { EndpointRegistry } from './endpoints/endpoint-registry.ts'

const model = 'test/behind'
const balance = 1_000_000

interface Pair extends AsyncDisposable {
  readonly server: TestServer
  readonly first: FakeUpstream
  readonly second: FakeUpstream
  /** Clock of the breakers. */
  readonly time: { nowMs: number }
  /** States of the endpoints, for the operator. */
  status(): readonly EndpointState[]
}

async function startPair(): Promise<Pair> {
  const first = await startFakeUpstream({ flavor: 'vllm' })
  const second = await startFakeUpstream({ flavor: 'vllm' })
  const time = { nowMs: 0 }
  const endpoints = new EndpointRegistry({
    clock: { nowMs: () => time.nowMs, after: systemClock.after },
    waitLimitMs: 5_000,
    log: () => undefined,
  })
  const behind = servedBy('vllm', [first, second], { pricing: testPricing })
  const server = startTestServer({ models: { [model]: behind }, upstream: { endpoints } })
  return {
    server,
    first,
    second,
    time,
    status: () => endpoints.status(model, behind.manifest.upstream),
    [Symbol.asyncDispose]: async () => {
      await server[Symbol.asyncDispose]()
      await first[Symbol.asyncDispose]()
      await second[Symbol.asyncDispose]()
    },
  }
}

const works = (_: unknown, play: () => Promise<void>) => play()
const refuse =
  (status: number, headers: Record<string, string> = {}): UpstreamAnswer =>
  (exchange) =>
    exchange.answer(status, { error: { message: 'a secret of the upstream server' } }, headers)

/** Lets the first server that is asked give this answer once; the other one plays the script. */
function failOnce({ first, second }: Pair, answer: UpstreamAnswer): void {
  let hasFailed = false
  const once: UpstreamAnswer = (exchange, play) => {
    if (hasFailed) return play()
    hasFailed = true
    return answer(exchange, play)
  }
  first.always = once
  second.always = once
}

const failures: [name: string, answer: UpstreamAnswer][] = [
  ['a connection that is cut before the head', (exchange) => exchange.cut()],
  [
    'a stream that ends before its first event',
    async (exchange) => {
      await exchange.begin()
      exchange.cut()
    },
  ],
  ['502', refuse(502)],
  ['503', refuse(503)],
  ['429', refuse(429, { 'retry-after': '7' })],
]

test.each(failures)('%s at one endpoint moves the request to the other', async (_, answer) => {
  await using pair = await startPair()
  failOnce(pair, answer)
  const payer = pair.server.payer(balance)
  const response = await askAs(pair.server, payer, { model, script: [{ text: 'Hello' }] })
  expect(await response.text()).toContain('Hello')
  expect(response.status).toBe(200)
  expect(pair.first.records.length + pair.second.records.length).toBe(2)
  expect(payer.money()).toEqual({ balance: balance - (5 * 10 + 1 * 30), held: 0 })
})

test('a server that is down moves all its requests to the other', async () => {
  await using pair = await startPair()
  await pair.first.stop()
  const payer = pair.server.payer(balance)
  for (let number = 0; number < 8; number++) {
    const response = await askAs(pair.server, payer, { model, script: [{ text: `answer ${number}` }] })
    expect(await response.text()).toContain(`answer ${number}`)
  }
  expect(pair.second.records).toHaveLength(8)
})

test('nothing moves once the client has seen something: the stream ends with an error and costs nothing', async () => {
  await using pair = await startPair()
  const payer = pair.server.payer(balance)
  for (const stream of [true, false]) {
    const before = pair.first.records.length + pair.second.records.length
    failOnce(pair, async (exchange) => {
      await exchange.begin()
      await exchange.event({ choices: [{ index: 0, delta: { content: 'One' }, finish_reason: null }] })
      exchange.cut()
    })
    const response = await askAs(pair.server, payer, { model, stream, script: [{ text: 'Hello' }] })
    const text = await response.text()
    expect(response.status).toBe(stream ? 200 : 502)
    expect(text).toContain('"code":"engine_failed"')
    expect(text).not.toContain('Hello')
    expect(await recordOf(pair.server, response)).toMatchObject({ chargedNanoUsd: 0 })
    expect(pair.first.records.length + pair.second.records.length).toBe(before + 1)
  }
  expect(payer.money()).toEqual({ balance, held: 0 })
})

test('where all are busy, the client is told when to come again and nothing of the servers', async () => {
  await using pair = await startPair()
  pair.first.always = refuse(429, { 'retry-after': '7' })
  pair.second.always = refuse(503)
  const payer = pair.server.payer(balance)
  const response = await askAs(pair.server, payer, { model })
  const text = await response.text()
  expect(response.status).toBe(503)
  expect(text).toContain('"code":"overloaded"')
  expect(text).not.toContain('secret')
  expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0)
  expect(payer.money()).toEqual({ balance, held: 0 })
})

test('a refusal for the request is not tried elsewhere and does not count against the server', async () => {
  await using pair = await startPair()
  pair.first.always = refuse(400)
  pair.second.always = refuse(400)
  const payer = pair.server.payer(balance)
  for (let number = 0; number < 5; number++) {
    const response = await askAs(pair.server, payer, { model, script: [{ text: `${number}` }] })
    expect(response.status).toBe(502)
    expect(await response.text()).not.toContain('secret')
  }
  expect(pair.first.records.length + pair.second.records.length).toBe(5)
  expect(pair.status().map(({ state }) => state)).toEqual(['closed', 'closed'])
})

test('the breaker opens after three failures in a row, lets one probe in after 5 s, and closes when it is served', async () => {
  await using pair = await startPair()
  const { server, first, second, time } = pair
  const payer = server.payer(balance)
  const ask = (number: number) => askAs(server, payer, { model, script: [{ text: `answer ${number}` }] })
  const stateOf = ({ url }: FakeUpstream) => pair.status().find((status) => status.url === url)?.state
  first.always = refuse(503)
  // The requests begin differently, so that some prefer the first server.
  for (let number = 0; stateOf(first) !== 'open' && number < 64; number++) expect((await ask(number)).status).toBe(200)
  expect(stateOf(first)).toBe('open')
  expect(first.records).toHaveLength(3)
  for (let number = 0; number < 16; number++) expect((await ask(number)).status).toBe(200)
  expect(first.records).toHaveLength(3)

  time.nowMs += 5_000
  for (let number = 0; first.records.length === 3 && number < 64; number++) await ask(number)
  expect(stateOf(first)).toBe('open')
  time.nowMs += 5_000
  for (let number = 0; number < 16; number++) await ask(number)
  expect(first.records).toHaveLength(4)

  first.always = works
  time.nowMs += 5_000
  for (let number = 0; stateOf(first) !== 'closed' && number < 64; number++)
    expect((await ask(number)).status).toBe(200)
  expect(stateOf(first)).toBe('closed')
  expect(second.problems).toEqual([])
})

test('where both breakers are open, a request is tried all the same', async () => {
  await using pair = await startPair()
  const { server, first, second } = pair
  const payer = server.payer(balance)
  first.always = refuse(503)
  second.always = refuse(503)
  for (let number = 0; number < 8; number++) await askAs(server, payer, { model, script: [{ text: `${number}` }] })
  expect(pair.status().map(({ state }) => state)).toEqual(['open', 'open'])
  first.always = works
  second.always = works
  expect((await askAs(server, payer, { model })).status).toBe(200)
})
