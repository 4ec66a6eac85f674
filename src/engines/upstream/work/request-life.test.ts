/** One request between the server's messages and the upstream servers: events in any order. */
import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { ApiError } from '../../../core/errors.ts'
import { type Consumption, nothingConsumed } from '../../../core/usage.ts'
import { ManualClock } from '../../../testing/manual-clock.ts'
import type { RequestEvent } from '../../protocol/request-events.ts'
import { Endpoint } from '../endpoints/endpoint.ts'
import { Endpoints } from '../endpoints/endpoints.ts'
import { UpstreamFailure } from '../http/failure.ts'
import { defaultLimits } from '../http/request.ts'
import { clientError } from './failures.ts'
import { RequestLife } from './request-life.ts'
import type { OutputOf, UpstreamEndpoint, UpstreamLink } from './upstream-work.ts'

type Output = OutputOf<'chat'>

const urls = [1, 2, 3, 4].map((number) => `http://10.0.0.${number}/v1`)
const output: Output = { type: 'text-delta', choice: 0, text: 'a' }
const granted: Consumption = { ...nothingConsumed, promptTokens: 100, completionTokens: 50 }
const busy = new UpstreamFailure('status', 'the server answers with the status 503', { status: 503 })

/** A call with a place at a server, until the test ends it. */
interface Ask {
  readonly endpoint: UpstreamEndpoint<Output>
  readonly end: (error?: unknown) => void
}

function setUp({ calls = 1, isFree = false, maxConcurrent = 2 } = {}) {
  const clock = new ManualClock()
  const list = urls.map((url) => new Endpoint('m', url))
  const endpoints = new Endpoints({
    ...{ modelId: 'm', modelThere: 'there', endpoints: list, maxConcurrent, waitLimitMs: 30_000, clock },
    log: () => undefined,
    questions: { model: async () => ({ kind: 'has' }), health: async () => undefined },
  })
  const events: RequestEvent[] = []
  const asks: Ask[] = []
  const failures: string[] = []
  const ended: Consumption[] = []
  let link: UpstreamLink<Output> | undefined
  const life = new RequestLife({
    ...{ id: 7, accountId: 'acc', isFree },
    work: {
      prefix: 'Hi',
      estimate: { least: nothingConsumed, most: granted },
      run: async (given) => {
        link = given as UpstreamLink<Output>
        const ask = (endpoint: UpstreamEndpoint<Output>) =>
          new Promise<void>((resolve, reject) => {
            const { signal } = endpoint.to('')
            const end = (error?: unknown) => {
              asks.splice(asks.indexOf(one), 1)
              if (error === undefined) resolve()
              else reject(error)
            }
            const one = { endpoint, end }
            asks.push(one)
            signal.addEventListener('abort', () => end(signal.reason))
          })
        await Promise.all(Array.from({ length: calls }, () => link?.call(ask)))
      },
    },
    servers: {
      ...{ endpoints, clock, key: 'secret', limits: defaultLimits },
      isClientFault: ({ status }) => status === 422,
      onFailure: (failure, url) => failures.push(`${failure.kind} ${url}`),
    },
    send: (sent) => events.push(...sent),
    clientError: (error) => clientError(error, 'm', 8192),
    onEnd: (used) => ended.push(used),
  })
  const outstanding = () => list.reduce((sum, endpoint) => sum + endpoint.outstanding, 0)
  return { life, clock, events, asks, failures, ended, outstanding, list, link: () => link }
}

/** Waits until everything has happened that needs no time. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 30; turn++) await Promise.resolve()
}

const grant = { limit: granted, isFinal: true }

test('a request is prepared, granted, begun with its first output and finished with what was counted', async () => {
  const { life, events, asks, link, ended, outstanding } = setUp()
  life.begin()
  await settle()
  expect(asks).toEqual([])
  life.grant(grant)
  await settle()
  link()?.used({ ...nothingConsumed, promptTokens: 5, cachedTokens: 2 })
  asks[0]?.endpoint.emit([output, output])
  link()?.used({ ...nothingConsumed, promptTokens: 5, cachedTokens: 2, completionTokens: 2 })
  asks[0]?.end()
  await settle()
  const usage = { ...nothingConsumed, promptTokens: 5, cachedTokens: 2, completionTokens: 2 }
  expect(events).toEqual([
    { id: 7, prepared: { least: nothingConsumed, most: granted, isOnlyGrant: true } },
    { id: 7, event: { type: 'start', promptTokens: 5, cachedTokens: 2 } },
    { id: 7, event: output },
    { id: 7, event: output },
    { id: 7, event: { type: 'finish', usage } },
  ])
  expect(ended).toEqual([usage])
  expect(outstanding()).toBe(0)
})

test('work without a price begins at once, and its start says what it counted', async () => {
  const { life, events, asks, link } = setUp({ isFree: true })
  life.begin()
  await settle()
  link()?.started({ promptTokens: 12, cachedTokens: 0 })
  asks[0]?.end()
  await settle()
  expect(events).toEqual([
    { id: 7, event: { type: 'start', promptTokens: 12, cachedTokens: 0 } },
    { id: 7, event: { type: 'finish', usage: nothingConsumed } },
  ])
})

test('a client that leaves pays what was counted, at most what was granted, and its calls end', async () => {
  const { life, events, asks, link, outstanding } = setUp({ calls: 3 })
  life.begin()
  life.grant(grant)
  await settle()
  expect(asks.length).toBe(3)
  link()?.used({ ...nothingConsumed, promptTokens: 1e12, cachedTokens: 1e13, completionTokens: 60 }, true)
  life.cancel()
  life.cancel()
  await settle()
  const cancelled = { ...nothingConsumed, promptTokens: 100, cachedTokens: 100, completionTokens: 50 }
  expect(events.slice(1)).toEqual([{ id: 7, cancelled, isEstimated: true }])
  expect([asks.length, outstanding()]).toEqual([0, 0])
})

test('a client that leaves before the grant pays nothing, and nothing is asked', async () => {
  const { life, events, asks } = setUp()
  life.begin()
  life.cancel()
  life.grant(grant)
  await settle()
  expect(events.slice(1)).toEqual([{ id: 7, cancelled: nothingConsumed }])
  expect(asks).toEqual([])
})

test('a server that cannot is followed by two others at most; the last failure is told', async () => {
  const { life, events, asks, failures, outstanding } = setUp()
  life.begin()
  life.grant(grant)
  for (let server = 0; server < 3; server++) {
    await settle()
    asks[0]?.end(busy)
  }
  await settle()
  expect(asks).toEqual([])
  expect(new Set(failures).size).toBe(3)
  expect(events.at(-1)).toMatchObject({ error: { kind: 'unavailable', code: 'overloaded' } })
  expect(outstanding()).toBe(0)
})

test('after its first output a call stays where it is, and its failure ends the others', async () => {
  const { life, events, asks, outstanding } = setUp({ calls: 2 })
  life.begin()
  life.grant(grant)
  await settle()
  asks[0]?.endpoint.emit([output])
  asks[0]?.end(busy)
  await settle()
  expect(events.at(-1)).toMatchObject({ error: { code: 'overloaded' } })
  expect([asks.length, outstanding()]).toEqual([0, 0])
})

test('where no other server can be used, the first failure is told, not that there is none', async () => {
  const { life, events, asks, clock } = setUp({ maxConcurrent: 1, calls: 4 })
  life.begin()
  life.grant(grant)
  await settle()
  expect(asks.length).toBe(4)
  asks[0]?.end(new UpstreamFailure('connect', 'the server cannot be reached'))
  await settle()
  clock.pass(30_000)
  await settle()
  expect(events.at(-1)).toMatchObject({ error: { code: 'engine_failed' } })
})

test('a refusal counts for the operator, unless the client can mend it', async () => {
  for (const [status, ends] of [
    [400, { refused: 1, neutral: 0 }],
    [422, { refused: 0, neutral: 1 }],
  ] as const) {
    const { life, asks, failures, list } = setUp()
    life.begin()
    life.grant(grant)
    await settle()
    asks[0]?.end(new UpstreamFailure('status', 'refused', { status }))
    await settle()
    expect(list.map((endpoint) => endpoint.status(0)).filter(({ outstanding }) => outstanding > 0)).toEqual([])
    expect(list.map((endpoint) => endpoint.status(0)).find((each) => each.refused + each.neutral > 0)).toMatchObject(
      ends,
    )
    expect(failures.length).toBe(ends.refused)
  }
})

test.each([
  [401, false],
  [403, false],
  [404, false],
  [400, true],
  [500, true],
])('after a refusal with status %d it is sure that the server has the model: %p', async (status, isSure) => {
  const { life, asks, list } = setUp()
  for (const endpoint of list) endpoint.hasModel = true
  life.begin()
  life.grant(grant)
  await settle()
  asks[0]?.end(new UpstreamFailure('status', 'refused', { status }))
  await settle()
  expect(list.every(({ hasModel }) => hasModel)).toBe(isSure)
})

test('a client that leaves as its place comes has nothing asked, and no failure is told', async () => {
  const { life, asks, failures, events } = setUp()
  life.begin()
  life.grant(grant)
  life.cancel()
  await settle()
  expect(asks.map(({ endpoint }) => endpoint.to('').signal.aborted)).toEqual([true])
  asks[0]?.end(new Error('the request has ended'))
  await settle()
  expect(failures).toEqual([])
  expect(events.at(-1)).toHaveProperty('cancelled')
})

test('what is said after the end is dropped, and nothing waits for a time any more', async () => {
  const { life, events, asks, link, clock, ended } = setUp()
  life.begin()
  life.grant(grant)
  await settle()
  const [ask] = asks
  const timers = clock.pending
  ask?.endpoint.endWithin(60_000)
  life.cancel()
  await settle()
  const before = events.length
  link()?.used({ ...nothingConsumed, completionTokens: 5 })
  link()?.started({ promptTokens: 5, cachedTokens: 0 })
  ask?.endpoint.emit([output])
  life.pause(true)
  await ask?.endpoint.unpaused()
  expect(events.length).toBe(before)
  expect([ended.length, life.used]).toEqual([1, nothingConsumed])
  expect(clock.pending).toBe(timers)
})

test('a paused request reads on when its client does, and when it leaves', async () => {
  const { life, asks } = setUp()
  life.begin()
  life.grant(grant)
  await settle()
  const [ask] = asks
  for (const goOn of [() => life.pause(false), () => life.cancel()]) {
    life.pause(true)
    let isOn = false
    void ask?.endpoint.unpaused().then(() => {
      isOn = true
    })
    await settle()
    expect(isOn).toBeFalse()
    goOn()
    await settle()
    expect(isOn).toBeTrue()
  }
})

type Step =
  | { readonly kind: 'grant' | 'cancel' | 'pause' | 'unpause' }
  | { readonly kind: 'emit' | 'served' | 'hurry'; readonly at: number }
  | { readonly kind: 'fail'; readonly at: number; readonly error: unknown }
  | { readonly kind: 'used'; readonly tokens: number }
  | { readonly kind: 'pass'; readonly ms: number }

const errors = [
  busy,
  new UpstreamFailure('connect', 'no connection'),
  new UpstreamFailure('cut', 'cut'),
  new UpstreamFailure('idle', 'idle'),
  new UpstreamFailure('status', '400', { status: 400, detail: 'no' }),
  new UpstreamFailure('status', '401', { status: 401, detail: 'no' }),
  new ApiError('invalid_request', 'too long', { code: 'context_length_exceeded' }),
  new Error('a bug'),
]

const at = fc.nat(3)
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ kind: fc.constantFrom('grant', 'cancel', 'pause', 'unpause') }),
  fc.record({ kind: fc.constantFrom('emit', 'served', 'hurry'), at }),
  fc.record({ kind: fc.constant('fail'), at, error: fc.constantFrom(...errors) }),
  fc.record({ kind: fc.constant('used'), tokens: fc.oneof(fc.nat(60), fc.constant(1e18)) }),
  fc.record({ kind: fc.constant('pass'), ms: fc.nat(5_000) }),
) as fc.Arbitrary<Step>

test('whatever happens, it ends once, pays at most the grant, and all places are free', async () => {
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: 3 }), fc.array(step, { maxLength: 30 }), async (calls, steps) => {
      const { life, clock, events, asks, ended, outstanding, link } = setUp({ calls, maxConcurrent: 1 })
      life.begin()
      let wasCancelled = false
      for (const each of [{ kind: 'grant' } as const, ...steps]) {
        const ask = 'at' in each ? asks[each.at] : undefined
        if (each.kind === 'grant') life.grant(grant)
        else if (each.kind === 'cancel') {
          wasCancelled = true
          life.cancel()
        } else if (each.kind === 'pause' || each.kind === 'unpause') life.pause(each.kind === 'pause')
        else if (each.kind === 'emit') ask?.endpoint.emit([output])
        else if (each.kind === 'served') ask?.end()
        else if (each.kind === 'hurry') ask?.endpoint.endWithin(100)
        else if (each.kind === 'fail') ask?.end(each.error)
        else if (each.kind === 'used') link()?.used({ ...nothingConsumed, completionTokens: each.tokens })
        else if (each.kind === 'pass') clock.pass(each.ms)
        await settle()
      }
      const endedByItself = ended.length > 0 && !wasCancelled
      life.cancel()
      await settle()
      expect(events.filter(isLast).length).toBe(1)
      expect(isLast(events.at(-1))).toBeTrue()
      if (endedByItself) expect('cancelled' in (events.at(-1) ?? {})).toBeFalse()
      const names = events.flatMap((event) => ('event' in event ? [event.event.type] : []))
      expect(names.lastIndexOf('start')).toBe(names.length === 0 ? -1 : 0)
      expect(ended.length).toBe(1)
      expect(ended[0]?.completionTokens).toBeLessThanOrEqual(granted.completionTokens)
      expect([asks.length, outstanding()]).toEqual([0, 0])
    }),
    { numRuns: 300 },
  )
})

function isLast(event: RequestEvent | undefined): boolean {
  if (event === undefined) return false
  return 'cancelled' in event || 'error' in event || ('event' in event && event.event.type === 'finish')
}
