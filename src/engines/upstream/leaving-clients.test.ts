/**
 * A client that disconnects ends the work at the upstream server at once, and pays for what that server had counted by
 * then.
 */
import { afterAll, describe, expect, test } from 'bun:test'
import { type UpstreamFlavor, upstreamFlavors } from '../../core/upstream.ts'
import { startTestServer } from '../../testing/test-server.ts'
import { type FakeUpstream, startFakeUpstream } from '../../testing/upstream/fake-upstream.ts'
import { askAs, readUntil, recordOf, testPricing } from '../../testing/upstream/payer-request.ts'
import { servedBy } from '../../testing/upstream/upstream-host.ts'

const behind = new Map<UpstreamFlavor, FakeUpstream>()
for (const flavor of upstreamFlavors) behind.set(flavor, await startFakeUpstream({ flavor }))

const server = startTestServer({
  models: Object.fromEntries(
    [...behind].map(([flavor, upstream]) => [`test/${flavor}`, servedBy(flavor, [upstream], { pricing: testPricing })]),
  ),
})
const balance = 1_000_000_000

afterAll(async () => {
  await server[Symbol.asyncDispose]()
  for (const upstream of behind.values()) await upstream[Symbol.asyncDispose]()
})

function fakeOf(flavor: UpstreamFlavor): FakeUpstream {
  const upstream = behind.get(flavor)
  if (upstream === undefined) throw new Error(`no server of ${flavor}`)
  return upstream
}

/**
 * Streams an answer that stalls after two words, and disconnects. Returns the time until the upstream server noticed.
 */
async function leave(flavor: UpstreamFlavor) {
  const upstream = fakeOf(flavor)
  const payer = server.payer(balance)
  const client = new AbortController()
  const number = upstream.records.length
  const response = await askAs(server, payer, {
    model: `test/${flavor}`,
    script: [{ text: 'One' }, { text: ' two' }, { waitForCancel: true }, { text: 'never' }],
    ending: { promptTokens: 20, cachedTokens: 8 },
    stream: true,
    signal: client.signal,
  })
  await readUntil(response, ' two')
  const { exchange } = await upstream.record(number)
  const leftAtMs = performance.now()
  client.abort()
  const closedMs = (await exchange.closedAtMs) - leftAtMs
  return { closedMs, payer, record: await recordOf(server, response) }
}

describe.each([...upstreamFlavors])('%s', (flavor) => {
  test('the upstream server sees it', async () => {
    // A generous limit: a benchmark measures the time.
    expect((await leave(flavor)).closedMs).toBeLessThan(2_000)
  })

  test('what was counted is paid', async () => {
    const { payer, record } = await leave(flavor)
    const { balance: left, held } = payer.money()
    expect(held).toBe(0)
    expect(record?.finish).toBe('client_disconnect')
    const hasCounts = !['openai'].includes(flavor)
    if (hasCounts) {
      expect(record?.used).toMatchObject({ promptTokens: 20, cachedTokens: 8, completionTokens: 2 })
      expect(balance - left).toBe(12 * 10 + 8 * 4 + 2 * 30)
    } else {
      expect(record?.used).toMatchObject({ completionTokens: 2 })
      expect(record?.isEstimated).toBeTrue()
    }
  })
})

test('a client that leaves before the first event ends the work too, whole answer or stream', async () => {
  const upstream = fakeOf('vllm')
  for (const stream of [true, false]) {
    const payer = server.payer(balance)
    const client = new AbortController()
    const number = upstream.records.length
    upstream.queue.push((exchange) => exchange.ended)
    const response = askAs(server, payer, { model: 'test/vllm', stream, signal: client.signal }).catch(() => undefined)
    const { exchange } = await upstream.record(number)
    client.abort()
    await exchange.closedAtMs
    await response
    await server.drained()
    expect(payer.money()).toEqual({ balance, held: 0 })
  }
})

test('a client that reads nothing more stops the upstream server from sending', async () => {
  const upstream = fakeOf('vllm')
  const payer = server.payer(balance)
  const client = new AbortController()
  const number = upstream.records.length
  const piece = 'x'.repeat(60_000)
  let sentBytes = 0
  upstream.queue.push(async (exchange) => {
    await exchange.begin()
    while (!exchange.isClosed) {
      await exchange.event({ choices: [{ index: 0, delta: { content: piece }, finish_reason: null }] })
      sentBytes += piece.length
    }
  })
  const response = await askAs(server, payer, { model: 'test/vllm', stream: true, signal: client.signal })
  await readUntil(response, 'xx')
  const { exchange } = await upstream.record(number)
  let before = -1
  while (before !== sentBytes) {
    before = sentBytes
    for (let other = 0; other < 10; other++) await askAs(server, payer, { model: 'test/vllm', stream: false })
  }
  expect(sentBytes).toBeLessThan(100_000_000)
  client.abort()
  await exchange.closedAtMs
  await server.drained()
  expect(payer.money().held).toBe(0)
})
