import { expect, test } from 'bun:test'
import { type RequestRecord, waitedMs } from '../core/request-record.ts'
import { endedRecord } from '../testing/ended-record.ts'
import { RecentRequests } from './recent-requests.ts'

const nowMs = 1_000_000
const line = (requestId: string, parts: Partial<RequestRecord> = {}): RequestRecord => ({
  ...endedRecord,
  requestId,
  method: 'POST',
  path: '/v1/chat/completions',
  endpoint: 'chat/completions',
  status: 200,
  durationMs: 10,
  model: 'a/b',
  ...parts,
})

function open() {
  const requests = new RecentRequests(() => nowMs)
  const seen: RequestRecord[] = []
  const stop = requests.watch((view) => seen.push(view))
  return { requests, seen, stop }
}

const idsOf = (views: readonly RequestRecord[]) => views.map(({ requestId }) => requestId)

test('a request is told of when it begins, at its first output, and when it ends', () => {
  const { requests, seen } = open()
  let now = line('req_1', { state: 'waiting', status: undefined })
  requests.begin({ id: 'req_1', record: () => now, cancel: () => undefined })
  now = line('req_1', { state: 'running', status: undefined, queuedMs: 4, runningMs: 6, firstOutputMs: 7 })
  requests.hasOutput('req_1')
  requests.end(line('req_1', { queuedMs: 4, runningMs: 20, firstOutputMs: 7, costNanoUsd: 5 }))
  expect(
    seen.map((record) => ({
      ...{ state: record.state, status: record.status, firstOutputMs: record.firstOutputMs },
      waitedMs: waitedMs(record),
    })),
  ).toEqual([
    { state: 'waiting', status: undefined, waitedMs: 10, firstOutputMs: undefined },
    { state: 'running', status: undefined, waitedMs: 4, firstOutputMs: 7 },
    { state: 'ended', status: 200, waitedMs: 4, firstOutputMs: 7 },
  ])
  expect(requests.running({ limit: 10 })).toEqual([])
  expect(requests.recent({ limit: 10 })).toMatchObject([{ requestId: 'req_1', costNanoUsd: 5 }])
})

test('a failure is kept with its private cause, shortened', () => {
  const { requests } = open()
  const cause = new Error('no answer', { cause: new Error(`signal SIGKILL ${'x'.repeat(1_000)}`) })
  requests.end(line('req_1', { status: 502, code: 'engine_failed', cause }))
  const [failed] = requests.recent({ limit: 1 })
  expect(failed).toMatchObject({ status: 502, code: 'engine_failed' })
  expect(failed?.cause).toStartWith('no answer: signal SIGKILL xxx')
  expect(failed?.cause).toHaveLength(500)
})

test('a failure of a request that still runs is shown as it will be kept', () => {
  const { requests } = open()
  const cause = new Error('no answer', { cause: new Error('x'.repeat(1_000)) })
  requests.begin({ id: 'req_1', record: () => line('req_1', { state: 'running', cause }), cancel: () => undefined })
  const [running] = requests.running({ limit: 1 })
  requests.end(line('req_1', { cause }))
  expect(running?.cause).toBe(requests.recent({ limit: 1 })[0]?.cause)
})

test('requests that are not to models leave nothing', () => {
  const { requests, seen } = open()
  requests.end(line('req_1', { endpoint: undefined, path: '/health' }))
  expect(seen).toEqual([])
})

test('the latest 1,000 are kept, and pages follow one another', () => {
  const { requests } = open()
  for (let id = 0; id < 2_500; id++) requests.end(line(`req_${id}`))
  const all = requests.recent({ limit: 5_000 })
  expect([all.length, all[0]?.requestId, all.at(-1)?.requestId]).toEqual([1_000, 'req_2499', 'req_1500'])
  expect(idsOf(requests.recent({ limit: 2, before: 'req_2400' }))).toEqual(['req_2399', 'req_2398'])
  expect(requests.recent({ limit: 2, before: 'req_1499' })).toEqual([])
})

test('filters choose by account, key, model, endpoint, status and duration', () => {
  const { requests } = open()
  requests.end(line('req_1', { accountId: 'acc_1', keyId: 'key_1', durationMs: 500 }))
  requests.end(line('req_2', { model: 'c/d', status: 404 }))
  requests.end(line('req_3', { endpoint: 'embeddings', status: 502 }))
  const of = (filter: object) => idsOf(requests.recent({ filter, limit: 10 }))
  expect(of({ account: 'acc_1' })).toEqual(['req_1'])
  expect(of({ key: 'key_1', model: 'a/b' })).toEqual(['req_1'])
  expect(of({ model: 'c/d' })).toEqual(['req_2'])
  expect(of({ endpoint: 'embeddings' })).toEqual(['req_3'])
  expect(of({ statusClass: 4 })).toEqual(['req_2'])
  expect(of({ slowerThanMs: 100 })).toEqual(['req_1'])
  expect(of({})).toEqual(['req_3', 'req_2', 'req_1'])
})

test('only a request that runs can be cancelled', () => {
  const { requests } = open()
  let cancelled = 0
  requests.begin({ id: 'req_1', record: () => line('req_1', { status: 0 }), cancel: () => cancelled++ })
  expect([requests.cancel('req_0'), requests.cancel('req_1')]).toEqual([false, true])
  requests.end(line('req_1', { status: 403 }))
  expect(requests.cancel('req_1')).toBe(false)
  expect(cancelled).toBe(1)
})

test('requests that have ended leave no more than a thousand of them', () => {
  const { requests, seen, stop } = open()
  stop()
  const pass = (first: number) => {
    for (let number = first; number < first + 50_000; number++) {
      const id = `req_${number}`
      requests.begin({ id, record: () => line(id), cancel: () => undefined })
      requests.end(line(id, { cause: 'x' }))
    }
    Bun.gc(true)
    return process.memoryUsage().heapUsed
  }
  const before = pass(0)
  expect(pass(50_000) - before).toBeLessThan(2 ** 20)
  expect(seen).toEqual([])
  expect(requests.recent({ limit: 5_000 }).length).toBe(1_000)
})
