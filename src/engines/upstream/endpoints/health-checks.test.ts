import { expect, test } from 'bun:test'
import { ManualClock } from '../../../testing/manual-clock.ts'
import type { ModelAnswer } from './ask-server.ts'
import { Endpoint } from './endpoint.ts'
import { Endpoints } from './endpoints.ts'

const one = 'http://10.0.0.1/v1'
const two = 'http://10.0.0.2/v1'

/** Health checks of servers with these current answers about the model. A silent server fails its health check too. */
function setUp(answers: Record<string, ModelAnswer>) {
  const clock = new ManualClock()
  const lines: string[] = []
  const log = ({ message }: { readonly message: string }) => void lines.push(message)
  const asked: string[] = []
  const list = Object.keys(answers).map((url) => new Endpoint('m', url))
  const questions = {
    model: async (url: string) => {
      asked.push(`model ${url}`)
      return answers[url] ?? { kind: 'no-list' as const }
    },
    health: async (url: string) => {
      asked.push(`health ${url}`)
      if (answers[url]?.kind === 'silent') throw new Error('it is down')
    },
  }
  const setup = {
    modelId: 'm',
    modelThere: 'there',
    endpoints: list,
    maxConcurrent: 4,
    waitLimitMs: 30_000,
    log,
    open: new Set<Endpoints>(),
  }
  const endpoints = new Endpoints({ ...setup, questions, clock })
  const take = (without: readonly string[] = []) =>
    endpoints.take({ accountId: 'a', prefix: '', without: new Set(without), signal: new AbortController().signal })
  const pass = async (ms: number) => {
    for (let passed = 0; passed < ms; passed += 1_000) {
      clock.pass(1_000)
      for (let turn = 0; turn < 20; turn++) await Promise.resolve()
    }
  }
  const statuses = () => list.map((endpoint) => endpoint.status(clock.nowMs()))
  return { clock, lines, asked, answers, endpoints, take, pass, statuses }
}

test('an idle server is asked nothing', async () => {
  const { asked, endpoints, pass, clock } = setUp({ [one]: { kind: 'has' } })
  await endpoints.check()
  await pass(60_000)
  expect(asked).toEqual([`model ${one}`])
  expect(clock.pending).toBe(0)
})

test('with traffic each is asked every 10 seconds, for 10 minutes after the last request', async () => {
  const { asked, endpoints, take, pass, clock } = setUp({ [one]: { kind: 'has' }, [two]: { kind: 'has' } })
  await endpoints.check()
  asked.length = 0
  ;(await take()).release('served')
  await pass(30_000)
  expect(asked.filter((each) => each === `health ${one}`)).toHaveLength(3)
  await pass(20 * 60_000)
  expect(asked).toHaveLength(2 * 60)
  expect(clock.pending).toBe(0)
})

test('three failed checks open the breaker, and one that succeeds later lets requests in again', async () => {
  const { answers, lines, endpoints, take, pass, statuses } = setUp({ [one]: { kind: 'has' }, [two]: { kind: 'has' } })
  await endpoints.check()
  ;(await take()).release('served')
  answers[one] = { kind: 'silent', reason: 'it is down' }
  await pass(30_000)
  expect(statuses()).toMatchObject([{ state: 'open', lastFailure: { reason: 'it is down' } }, { state: 'closed' }])
  answers[one] = { kind: 'has' }
  await pass(10_000)
  expect(statuses()).toMatchObject([{ state: 'closed', failed: 0 }, { state: 'closed' }])
  expect(lines).toEqual([
    'endpoint 10.0.0.1 gets no requests for now: it failed: it is down',
    'endpoint 10.0.0.1 gets requests again',
  ])
})

test('an open breaker is asked about without traffic too, until it closes', async () => {
  const { answers, asked, endpoints, take, pass, statuses, clock } = setUp({
    [one]: { kind: 'silent', reason: 'down' },
  })
  await endpoints.check()
  for (let failure = 0; failure < 3; failure++) (await take()).release('failed')
  await pass(20 * 60_000)
  expect(statuses()).toMatchObject([{ state: 'open' }])
  expect(asked.length).toBeWithin(15, 40)
  answers[one] = { kind: 'has', contextTokens: 8_192 }
  await pass(70_000)
  expect(statuses()).toMatchObject([{ state: 'closed', contextTokens: 8_192 }])
  expect(clock.pending).toBe(0)
})

test('an endpoint that lacks the model gets no requests until it has it', async () => {
  const { answers, endpoints, take, pass, statuses } = setUp({
    [one]: { kind: 'lacks', ids: ['other'] },
    [two]: { kind: 'has', contextTokens: 4_096 },
  })
  expect(await endpoints.check()).toBe(4_096)
  expect(statuses()).toMatchObject([{ state: 'out-of-use', outOfUse: 'lacks it and has "other"' }, { state: 'closed' }])
  const places = await Promise.all([take(), take(), take(), take()])
  expect(new Set(places.map(({ url }) => url))).toEqual(new Set([two]))
  const waiting = take()
  answers[one] = { kind: 'has' }
  await pass(10_000)
  expect((await waiting).url).toBe(one)
})

test('a server that comes back is asked for the model before requests are left to it', async () => {
  const { answers, endpoints, take, pass, statuses } = setUp({ [one]: { kind: 'has' }, [two]: { kind: 'has' } })
  await endpoints.check()
  for (let failure = 0; failure < 3; failure++) (await take([two])).release('failed')
  answers[one] = { kind: 'lacks', ids: [] }
  await pass(10_000)
  expect(statuses()).toMatchObject([{ state: 'out-of-use', outOfUse: 'has no models' }, { state: 'closed' }])
})

test('a server that says that it does not have the model any more is asked, and gets no requests', async () => {
  const { answers, endpoints, take, pass, statuses, asked } = setUp({ [one]: { kind: 'has' }, [two]: { kind: 'has' } })
  await endpoints.check()
  const place = await take([two])
  place.doubt()
  place.release('neutral')
  answers[one] = { kind: 'lacks', ids: ['new'] }
  await pass(10_000)
  expect(asked.slice(2).sort()).toEqual([`health ${two}`, `model ${one}`])
  expect(statuses()).toMatchObject([{ state: 'out-of-use' }, { state: 'closed' }])
})

test('a load fails where no server that answers has the model, and says what they have', async () => {
  const { endpoints } = setUp({
    [one]: { kind: 'lacks', ids: ['a', 'b'] },
    [two]: { kind: 'refuses', status: 401 },
    'http://10.0.0.3:8000/v1': { kind: 'silent', reason: 'it cannot be reached' },
  })
  const message =
    'none of its servers serves "there": 10.0.0.1 lacks it and has "a", "b"; 10.0.0.2 refuses the key (status 401)'
  await expect(endpoints.check()).rejects.toThrow(message)
})

test('servers that cannot be reached do not fail the load', async () => {
  const { endpoints, statuses, lines } = setUp({ [one]: { kind: 'silent', reason: 'it cannot be reached' } })
  expect(await endpoints.check()).toBeUndefined()
  expect(lines).toEqual(['endpoint 10.0.0.1 does not answer: it cannot be reached'])
  expect(statuses()).toMatchObject([{ state: 'closed', lastFailure: { reason: 'it cannot be reached' } }])
})

test('a server that never answers is given up after two seconds, and closing ends what is asked', async () => {
  const clock = new ManualClock()
  const log = () => undefined
  const endpoint = new Endpoint('m', one)
  const asked: AbortSignal[] = []
  const ask = (_url: string, signal: AbortSignal) => {
    asked.push(signal)
    return new Promise<never>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
  }
  const questions = { model: ask, health: ask }
  const setup = {
    modelId: 'm',
    modelThere: 'there',
    maxConcurrent: 4,
    waitLimitMs: 30_000,
    log,
    open: new Set<Endpoints>(),
  }
  const endpoints = new Endpoints({ ...setup, endpoints: [endpoint], questions, clock })
  const checked = endpoints.check()
  clock.pass(2_000)
  await checked
  expect(endpoint.status(0).lastFailure?.reason).toBe('it did not answer within 2 s')
  const closed = endpoints.check()
  endpoints.close()
  await closed
  expect(asked.every(({ aborted }) => aborted)).toBe(true)
  expect(clock.pending).toBe(0)
})
