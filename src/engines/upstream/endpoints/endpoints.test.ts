import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { ManualClock } from '../../../testing/manual-clock.ts'
import type { ServerQuestions } from './ask-server.ts'
import { Endpoint } from './endpoint.ts'
import { type EndpointPlace, Endpoints } from './endpoints.ts'

const one = 'http://10.0.0.1/v1'
const two = 'http://10.0.0.2/v1'

function setUp(urls: readonly string[], maxConcurrent: number) {
  const clock = new ManualClock()
  const list = urls.map((url) => new Endpoint('m', url))
  const questions: ServerQuestions = { model: async () => ({ kind: 'has' }), health: async () => undefined }
  const limits = { maxConcurrent, waitLimitMs: 30_000, log: () => undefined, open: new Set<Endpoints>() }
  const setup = { modelId: 'm', modelThere: 'there', endpoints: list, questions, clock, ...limits }
  const endpoints = new Endpoints(setup)
  const take = (
    options: { account?: string; prefix?: string; without?: readonly string[]; signal?: AbortSignal } = {},
  ) => {
    const { account = 'a', prefix = '', without = [], signal = new AbortController().signal } = options
    return endpoints.take({ accountId: account, prefix, without: new Set(without), signal })
  }
  const states = () => list.map((endpoint) => endpoint.state(clock.nowMs()))
  return { clock, list, setup, endpoints, take, states }
}

type Settled =
  | { readonly place: EndpointPlace }
  | { readonly error: { readonly code?: string; readonly retryAfterSeconds?: number } }

async function settled(taken: Promise<EndpointPlace>): Promise<Settled> {
  return taken.then(
    (place) => ({ place }),
    (error) => ({ error }),
  )
}

test('places are limited, and one that becomes free goes to who may use it', async () => {
  const { take, endpoints } = setUp([one, two], 1)
  const places = [await take(), await take()]
  expect(places.map(({ url }) => url).sort()).toEqual([one, two])
  const picky = take({ without: [one] })
  const other = take()
  expect(endpoints.waiting).toBe(2)
  places.find(({ url }) => url === one)?.release('served')
  expect((await other).url).toBe(one)
  places.find(({ url }) => url === two)?.release('served')
  expect((await picky).url).toBe(two)
})

test('an account with many requests gives way to one with few', async () => {
  const { take } = setUp([one], 1)
  const order: string[] = []
  const running: EndpointPlace[] = []
  const ask = (account: string) =>
    take({ account }).then((place) => {
      order.push(account)
      running.push(place)
    })
  const asked = [
    ask('first'),
    ...Array.from({ length: 50 }, () => ask('many')),
    ...Array.from({ length: 10 }, () => ask('few')),
  ]
  for (const each of asked.keys()) {
    while (running.length === 0) await Promise.resolve()
    expect(order).toHaveLength(each + 1)
    running.pop()?.release('served')
  }
  expect(order.slice(1, 21).filter((account) => account === 'few').length).toBeGreaterThanOrEqual(9)
})

test('a wait ends with its limit, with the signal and with the load, and leaves nothing behind', async () => {
  const { take, clock, endpoints } = setUp([one], 1)
  const place = await take()
  const late = settled(take())
  clock.pass(30_000)
  expect(await late).toMatchObject({ error: { code: 'overloaded' } })
  const control = new AbortController()
  const left = settled(take({ signal: control.signal }))
  control.abort(new Error('left'))
  expect(await left).toMatchObject({ error: { message: 'left' } })
  const unloaded = settled(take())
  endpoints.close()
  expect(await unloaded).toMatchObject({ error: { code: 'model_unavailable' } })
  expect(endpoints.waiting).toBe(0)
  expect(clock.pending).toBe(0)
  place.release('served')
  place.release('served')
  expect(await settled(take())).toMatchObject({ error: { code: 'model_unavailable' } })
})

test('where every breaker is open one request tries, and those that wait for it are told when to come again', async () => {
  const { take, states, clock } = setUp([one], 8)
  for (let failure = 0; failure < 3; failure++) (await take()).release('failed', 'it was down')
  expect(states()).toEqual(['open'])
  clock.pass(1_000)
  const probe = await take()
  const waiting = [settled(take()), settled(take())]
  probe.release('failed')
  for (const each of waiting)
    expect(await each).toMatchObject({ error: { code: 'model_unavailable', retryAfterSeconds: 4 } })
  const next = await take()
  const patient = take()
  next.answered()
  expect((await patient).url).toBe(one)
  expect(states()).toEqual(['closed'])
})

test('a probe whose client leaves makes room for the next who waits', async () => {
  const { take, states, clock } = setUp([one], 8)
  for (let failure = 0; failure < 3; failure++) (await take()).release('failed')
  clock.pass(5_000)
  const probe = await take()
  const waiting = take()
  expect(states()).toEqual(['probing'])
  probe.release('neutral')
  ;(await waiting).release('served')
  expect(states()).toEqual(['closed'])
})

test('a request that waits for a place gets one of an endpoint that may be tried again', async () => {
  const { take, clock } = setUp([one, two], 3)
  const running = [await take(), await take(), await take(), await take(), await take(), await take()]
  for (const place of running) if (place.url === two) place.release('failed')
  const waiting = take()
  clock.pass(5_000)
  expect((await waiting).url).toBe(two)
})

test('a drained endpoint gets nothing, and who can use no other is refused', async () => {
  const { take, list, endpoints } = setUp([one, two], 1)
  const places = [await take(), await take()]
  const picky = settled(take({ without: [two] }))
  const [first] = list
  if (first !== undefined) first.isDraining = true
  endpoints.serve()
  expect(await picky).toMatchObject({ error: { code: 'model_unavailable' } })
  for (const place of places) place.release('served')
  expect((await take()).url).toBe(two)
  expect(first?.outstanding).toBe(0)
})

test('accounts that wait side by side are served equally, whatever each has waiting and in whatever order it came', async () => {
  const asked = fc.array(fc.constantFrom('a', 'b', 'c', 'd'), { minLength: 2, maxLength: 60, size: 'max' })
  await fc.assert(
    fc.asyncProperty(asked, async (accounts) => {
      const { take } = setUp([one, two], 1)
      const places = [await take({ account: 'first' }), await take({ account: 'first' })]
      const left = Map.groupBy(accounts, (account) => account)
      const served = new Map([...left.keys()].map((account) => [account, 0]))
      for (const account of accounts) {
        void take({ account }).then((place) => {
          places.push(place)
          served.set(account, (served.get(account) ?? 0) + 1)
        })
      }
      for (const _ of accounts) {
        places.shift()?.release('served')
        for (let turn = 0; turn < 4; turn++) await Promise.resolve()
        const counts = [...served].filter(([account, count]) => count < (left.get(account)?.length ?? 0))
        const least = Math.min(...counts.map(([, count]) => count))
        for (const [, count] of served) expect(count).toBeLessThanOrEqual(least + 1)
      }
      expect([...served.values()].reduce((sum, count) => sum + count)).toBe(accounts.length)
    }),
  )
})

test('places of an earlier load count, and those who wait for the next one get them', async () => {
  const { take, setup, endpoints } = setUp([one], 1)
  const place = await take()
  const next = new Endpoints(setup)
  const { signal } = new AbortController()
  const waiting = next.take({ accountId: 'a', prefix: '', without: new Set(), signal })
  endpoints.close()
  expect(next.waiting).toBe(1)
  place.release('served')
  expect((await waiting).url).toBe(one)
})

const step = fc.record({
  kind: fc.constantFrom('take', 'take', 'take', 'end', 'end', 'answer', 'leave', 'pass', 'drain', 'resume'),
  which: fc.nat(50),
  outcome: fc.constantFrom('served' as const, 'failed' as const, 'failed' as const, 'neutral' as const),
  ms: fc.nat(8_000),
})

test('whatever happens, places are kept to and none is lost; at the end all is free and requests are served', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 120, size: 'max' }), async (steps) => {
      const { take, list, clock, endpoints } = setUp([one, two, 'http://10.0.0.3/v1'], 2)
      const live: EndpointPlace[] = []
      const clients = new Set<AbortController>()
      const open = new Set<Promise<void>>()
      for (const { kind, which, outcome, ms } of steps) {
        const place = live[which % Math.max(1, live.length)]
        const endpoint = list[which % list.length]
        if (kind === 'take') {
          const client = new AbortController()
          clients.add(client)
          const without = which % 5 === 0 ? [one] : []
          const asked = take({ account: `a${which % 4}`, prefix: `${which}`, without, signal: client.signal })
          open.add(
            asked
              .then(
                (got) => void live.push(got),
                () => undefined,
              )
              .finally(() => clients.delete(client)),
          )
        } else if (kind === 'end' && place !== undefined) {
          live.splice(live.indexOf(place), 1)
          place.release(outcome)
        } else if (kind === 'answer') place?.answered()
        else if (kind === 'leave') [...clients][which % Math.max(1, clients.size)]?.abort()
        else if (kind === 'pass') clock.pass(ms)
        else if (endpoint !== undefined && (kind === 'drain' || kind === 'resume')) {
          endpoint.isDraining = kind === 'drain'
          endpoints.serve()
        }
        for (let turn = 0; turn < 8; turn++) await Promise.resolve()
        for (const { url, outstanding } of list) {
          expect(outstanding).toBe(live.filter((each) => each.url === url).length)
          expect(outstanding).toBeLessThanOrEqual(2)
        }
      }
      for (const endpoint of list) endpoint.isDraining = false
      while (endpoints.waiting > 0 || live.length > 0) {
        for (const place of live.splice(0)) place.release('neutral')
        clock.pass(10_000)
        for (let turn = 0; turn < 8; turn++) await Promise.resolve()
      }
      await Promise.all(open)
      for (const place of live.splice(0)) place.release('neutral')
      clock.pass(60_000)
      for (const { url } of list) {
        const without = list.map((each) => each.url).filter((each) => each !== url)
        const probe = await take({ without })
        expect(probe.url).toBe(url)
        probe.release('served')
      }
      expect(list.map((endpoint) => endpoint.state(clock.nowMs()))).toEqual(['closed', 'closed', 'closed'])
      endpoints.close()
      expect(clock.pending).toBe(0)
    }),
    { numRuns: 200 },
  )
})

test('a place is released once, whatever is said of it later', async () => {
  const { take, list, endpoints } = setUp([one], 1)
  const place = await take()
  place.release('served')
  for (const outcome of ['failed', 'failed', 'failed', 'neutral'] as const) place.release(outcome)
  place.answered()
  expect(list[0]?.status(0)).toMatchObject({ outstanding: 0, served: 1, failed: 0, neutral: 0, state: 'closed' })
  await take()
  const next = take()
  expect(endpoints.waiting).toBe(1)
  endpoints.close()
  expect(await settled(next)).toMatchObject({ error: { code: 'model_unavailable' } })
})
