/**
 * Random streams through the whole server: cut anywhere, refused, left by their clients, with false counts. Nobody
 * pays more than was held, nothing stays held, and the books balance.
 */
import { afterAll, expect, test } from 'bun:test'
import fc from 'fast-check'
import { costNanoUsd } from '../../billing/cost.ts'
import { systemClock } from '../../core/clock.ts'
import { type Payer, startTestServer } from '../../testing/test-server.ts'
import type { Exchange } from '../../testing/upstream/exchange.ts'
import { type FakeUpstreamOptions, startFakeUpstream } from '../../testing/upstream/fake-upstream.ts'
import { askAs, testPricing } from '../../testing/upstream/payer-request.ts'
import { servedBy } from '../../testing/upstream/upstream-host.ts'
import type { FakeAction } from '../fake/script.ts'
import { EndpointRegistry } from './endpoints/endpoint-registry.ts'

const rounds = 50
const requestsPerRound = 20

/** Deviation of the upstream server from its script. */
type Mischief =
  | { readonly cutAfterBytes: number }
  | { readonly status: number }
  /** Number of pieces, each with impossible counts. */
  | { readonly pieces: number; readonly lies: readonly unknown[] }

interface Asked {
  readonly model: string
  readonly script: readonly FakeAction[]
  readonly promptTokens: number
  readonly cachedTokens: number
  readonly mischief: Mischief | undefined
  readonly stream: boolean
  readonly n: number
  readonly maxTokens: number | undefined
  /** Time after which the client disconnects. */
  readonly leavesAfterMs: number | undefined
}

const kinds: Readonly<Record<string, FakeUpstreamOptions>> = {
  'counts/each': { flavor: 'vllm' },
  'counts/timings': { flavor: 'llamacpp' },
  'counts/last': { flavor: 'openai' },
  'counts/never': { flavor: 'openai', quirks: { usage: 'none' } },
}

/** Breakers open for milliseconds instead of seconds. */
const clock = { ...systemClock, nowMs: () => systemClock.nowMs() * 1_000 }

const behind = await Promise.all(
  Object.entries(kinds).map(async ([model, options]) => ({
    ...options,
    model,
    fake: await startFakeUpstream(options),
  })),
)
for (const { fake } of behind) fake.always = misbehave
const server = startTestServer({
  models: Object.fromEntries(
    behind.map(({ model, flavor, fake }) => [model, servedBy(flavor, [fake], { pricing: testPricing })]),
  ),
  // Least tokens that are held for an answer without a limit, however little money there is.
  config: { holdTokens: 4 },
  upstream: { endpoints: new EndpointRegistry({ clock, waitLimitMs: 60_000, log: () => undefined }) },
})
afterAll(async () => {
  await server[Symbol.asyncDispose]()
  for (const { fake } of behind) await fake[Symbol.asyncDispose]()
})

async function misbehave(exchange: Exchange, play: () => Promise<void>): Promise<void> {
  const { messages } = exchange.json() as { messages: readonly { content: string }[] }
  const { mischief } = JSON.parse(messages.at(-1)?.content ?? '') as { mischief?: Mischief }
  if (mischief === undefined) return play()
  if ('status' in mischief) return exchange.answer(mischief.status, { error: { message: 'no' } })
  if ('pieces' in mischief) return lie(exchange, mischief)
  exchange.cutAfterBytes = mischief.cutAfterBytes
  return play()
}

async function lie(exchange: Exchange, { pieces, lies }: Extract<Mischief, { pieces: number }>): Promise<void> {
  await exchange.begin()
  for (let piece = 0; piece < pieces && !exchange.isClosed; piece++) {
    const any = (offset: number) => lies[(piece + offset) % lies.length]
    await exchange.event({
      choices: [{ index: 0, delta: { content: 'a ' }, finish_reason: piece === pieces - 1 ? 'stop' : null }],
      usage: {
        ...{ prompt_tokens: any(0), completion_tokens: any(1), prompt_tokens_details: { cached_tokens: any(2) } },
        completion_tokens_details: { reasoning_tokens: any(3) },
      },
      timings: { cache_n: any(1), prompt_n: any(2), predicted_n: any(3) },
    })
  }
  await exchange.event('[DONE]')
  await exchange.end()
}

/** Returns the answer's id and the cost in its head; undefined if the client saw no answer. */
async function ask(payer: Payer, { model, script, leavesAfterMs, stream, n, maxTokens, ...ending }: Asked) {
  const client = new AbortController()
  const leaving = leavesAfterMs === undefined ? undefined : setTimeout(() => client.abort(), leavesAfterMs)
  const limit = maxTokens === undefined ? {} : { max_tokens: maxTokens }
  try {
    const asking = askAs(server, payer, { model, script, ending, stream, n, ...limit, signal: client.signal })
    const response = await asking
    await response.text()
    return { id: response.headers.get('x-request-id') ?? '', costUsd: response.headers.get('x-cost-usd') }
  } catch (error) {
    expect(client.signal.aborted).toBeTrue()
    expect(String(error)).toContain('abort')
    return undefined
  } finally {
    clearTimeout(leaving)
  }
}

const answers = fc.array(
  fc.oneof(
    { weight: 8, arbitrary: fc.constantFrom<FakeAction>({ text: 'one ' }, { reasoning: 'hm ' }) },
    { weight: 2, arbitrary: fc.constantFrom<FakeAction>({ delayMs: 1 }, { delayMs: 3 }) },
    {
      weight: 1,
      arbitrary: fc.constantFrom<FakeAction>({ crash: 'exit' }, { tool: { name: 'look', arguments: ['{}'] } }),
    },
  ),
  { maxLength: 25 },
)
const falsehood = fc.constantFrom<unknown[]>(-1, 0, 3, 40, 5_000, 1e6, 1e18, 0.5, '7', null, true, [])
const mischief = fc.oneof<fc.Arbitrary<Mischief>[]>(
  fc.nat({ max: 4_000 }).map((cutAfterBytes) => ({ cutAfterBytes })),
  fc.constantFrom(400, 401, 429, 500, 503).map((status) => ({ status })),
  fc.record({ pieces: fc.integer({ min: 1, max: 40 }), lies: fc.array(falsehood, { minLength: 1, maxLength: 9 }) }),
)
const sometimes = <Value>(arbitrary: fc.Arbitrary<Value>) => fc.option(arbitrary, { nil: undefined, freq: 2 })
const asked: fc.Arbitrary<Asked> = fc.record({
  model: fc.constantFrom(...Object.keys(kinds)),
  script: answers,
  promptTokens: fc.oneof(fc.integer({ min: 1, max: 400 }), fc.integer({ min: 1, max: 8_000 })),
  cachedTokens: fc.nat({ max: 20 }),
  mischief: sometimes(mischief),
  stream: fc.boolean(),
  n: fc.constantFrom(1, 1, 2),
  maxTokens: sometimes(fc.integer({ min: 1, max: 12 })),
  leavesAfterMs: sometimes(fc.nat({ max: 20 })),
})

test(`of ${rounds * requestsPerRound} random streams none is charged above its hold, and the books add up`, async () => {
  const requests = fc.array(asked, { minLength: requestsPerRound, maxLength: requestsPerRound })
  let charged = 0
  const finishes = new Set<string>()
  await fc.assert(
    fc.asyncProperty(requests, fc.nat({ max: 1_000_000 }), async (requests, balance) => {
      const payer = server.payer(balance)
      const seen = await Promise.all(requests.map((request) => ask(payer, request)))
      await server.drained()
      const records = server.stores.usage.list({ accountId: payer.accountId })
      for (const {
        requestId,
        model,
        used,
        costNanoUsd: cost,
        chargedNanoUsd,
        heldNanoUsd,
        finish,
        isEstimated,
      } of records) {
        expect(cost).toBe(costNanoUsd(testPricing, used))
        expect(chargedNanoUsd).toBe(cost)
        expect(heldNanoUsd).toBeGreaterThanOrEqual(chargedNanoUsd)
        if (finish === 'failed') expect(cost).toBe(0)
        const index = seen.findIndex((answer) => answer?.id === requestId)
        const costUsd = seen[index]?.costUsd ?? undefined
        if (costUsd !== undefined) expect(Number(costUsd)).toBeCloseTo(cost / 1e9, 12)
        const isHonest = index !== -1 && requests[index]?.mischief === undefined
        if (isHonest && finish !== 'failed') expect(isEstimated).toBe(model === 'counts/never')
        finishes.add(finish)
      }
      // No settlement lost money or had to be cut.
      const ended = server.requests.recent({ filter: { account: payer.accountId }, limit: requestsPerRound })
      for (const { cause = '' } of ended) expect(cause).not.toMatch(/held|granted|this is a bug/)
      const sum = records.reduce((total, { chargedNanoUsd }) => total + chargedNanoUsd, 0)
      expect(payer.money()).toEqual({ balance: balance - sum, held: 0 })
      charged += sum
    }),
    // Each round takes a tenth of a second, so failing cases are reported without shrinking.
    { numRuns: rounds, endOnFailure: true },
  )
  expect(server.stores.checkIntegrity().problems).toEqual([])
  expect(charged).toBeGreaterThan(0)
  const ends = ['client_disconnect', 'failed', 'length', 'out_of_balance', 'stop']
  expect([...finishes]).toEqual(expect.arrayContaining(ends))
  for (const { fake } of behind) expect(fake.problems).toEqual([])
}, 60_000)
