import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { type BegunPart, type PartsRequest, WaitingParts } from '../../shared/waiting-parts.ts'
import { type BatchLimits, type Row, takeRows } from './batch-rows.ts'

const limits: BatchLimits = { tokens: 512, rows: 64 }

interface Asked extends PartsRequest<Row> {
  readonly name: string
}

type WaitingRow = BegunPart<Row, Asked>

class WaitingRows {
  readonly #waiting = new WaitingParts<Row, Asked>({ costOf: ({ ids }) => ids.length, isUnordered: true })

  /** Tokens of all waiting rows. */
  get tokens(): number {
    return this.#waiting.cost
  }

  /** Adds a request with rows of these lengths. */
  add(request: Asked, lengths: readonly number[]): void {
    const rows = lengths.map((length, index) => ({ part: { ids: new Int32Array(length), typeIds: undefined }, index }))
    this.#waiting.add(
      request,
      rows.sort((one, other) => other.part.ids.length - one.part.ids.length),
    )
  }

  remove(request: Asked): void {
    this.#waiting.remove(request)
  }

  take(limits: BatchLimits): readonly WaitingRow[] {
    return this.#waiting.take((turns) => takeRows(turns, limits), { runs: 0, lanes: 1, runningCost: 0 })
  }
}

function add(waiting: WaitingRows, accountId: string, lengths: readonly number[], name = accountId): Asked {
  const request = { name, accountId, waiting: [], passedOver: 0 }
  waiting.add(request, lengths)
  return request
}

/** Returns the request names and lengths of a batch's rows, longest first. */
function shape(batch: readonly WaitingRow[]): [string, number][] {
  return batch
    .map(({ request, part }): [string, number] => [request.name, part.ids.length])
    .sort(([, first], [, second]) => second - first)
}

function paddedTokens(batch: readonly WaitingRow[]): number {
  return batch.length * Math.max(...batch.map(({ part }) => part.ids.length))
}

test('nothing waits, nothing is taken', () => {
  expect(new WaitingRows().take(limits)).toEqual([])
})

test('texts of like length go together, up to the limit', () => {
  const waiting = new WaitingRows()
  add(waiting, 'a', [100, 30, 101, 29, 99, 31, 98, 32, 97])
  expect(shape(waiting.take(limits)).map(([, length]) => length)).toEqual([101, 100, 99, 98, 97])
  expect(shape(waiting.take(limits)).map(([, length]) => length)).toEqual([32, 31, 30, 29])
  expect(waiting.tokens).toBe(0)
})

test('texts of many requests go together', () => {
  const waiting = new WaitingRows()
  for (let index = 0; index < 20; index++) add(waiting, `account ${index % 3}`, [32], `request ${index}`)
  expect(waiting.take(limits)).toHaveLength(16)
  expect(waiting.take(limits)).toHaveLength(4)
})

test('a text longer than a batch may be is computed alone', () => {
  const waiting = new WaitingRows()
  add(waiting, 'a', [2000])
  add(waiting, 'b', [2000])
  expect(waiting.take(limits)).toHaveLength(1)
  expect(waiting.take(limits)).toHaveLength(1)
})

test('long texts are fewer than their tokens would allow: each token is compared with all of its text', () => {
  const waiting = new WaitingRows()
  add(waiting, 'a', [...Array(9).fill(100), ...Array(9).fill(10)])
  const squared = { ...limits, tokens: 800, squares: 40_000 }
  expect(shape(waiting.take(squared)).map(([, length]) => length)).toEqual(Array(4).fill(100))
  expect(waiting.take(squared)).toHaveLength(4)
  expect(shape(waiting.take(squared)).map(([, length]) => length)).toEqual([100])
  expect(waiting.take(squared)).toHaveLength(9)
  add(waiting, 'a', [300])
  expect(waiting.take(squared)).toHaveLength(1)
})

test('no more rows than allowed', () => {
  const waiting = new WaitingRows()
  add(waiting, 'a', Array(100).fill(1))
  expect(waiting.take(limits)).toHaveLength(64)
  expect(waiting.take(limits)).toHaveLength(36)
})

test('what is left of a request is forgotten when it is removed', () => {
  const waiting = new WaitingRows()
  const gone = add(waiting, 'a', Array(20).fill(32))
  add(waiting, 'b', [40])
  waiting.remove(gone)
  expect(waiting.tokens).toBe(40)
  expect(shape(waiting.take(limits))).toEqual([['b', 40]])
  waiting.remove(gone)
  expect(waiting.tokens).toBe(0)
})

describe('fairness', () => {
  test('an account with a thousand texts leaves others their share of every batch', () => {
    const waiting = new WaitingRows()
    add(waiting, 'greedy', Array(1000).fill(32))
    waiting.take(limits)
    for (const name of ['x', 'y', 'z']) add(waiting, name, [32])
    expect(new Set(shape(waiting.take(limits)).map(([name]) => name))).toEqual(new Set(['greedy', 'x', 'y', 'z']))
  })

  test('so does a request with a thousand texts, within its account', () => {
    const waiting = new WaitingRows()
    add(waiting, 'a', Array(1000).fill(32), 'thousand')
    add(waiting, 'a', [32], 'one')
    expect(shape(waiting.take(limits)).map(([name]) => name)).toContain('one')
  })

  test('accounts that always have texts get equal numbers of tokens', () => {
    const waiting = new WaitingRows()
    const served = new Map<string, number>([
      ['long', 0],
      ['short', 0],
    ])
    add(waiting, 'long', Array(1000).fill(200))
    add(waiting, 'short', Array(10_000).fill(10))
    for (let batch = 0; batch < 200; batch++) {
      for (const [name, length] of shape(waiting.take(limits))) served.set(name, (served.get(name) ?? 0) + length)
    }
    const ratio = (served.get('long') ?? 0) / (served.get('short') ?? 1)
    expect(ratio).toBeGreaterThan(0.9)
    expect(ratio).toBeLessThan(1.1)
  })

  test('who comes late has no claim on what others had before', () => {
    const waiting = new WaitingRows()
    add(waiting, 'early', Array(1000).fill(32))
    for (let batch = 0; batch < 20; batch++) waiting.take(limits)
    add(waiting, 'late', Array(1000).fill(32))
    const names = shape(waiting.take(limits)).map(([name]) => name)
    expect(names.filter((name) => name === 'early').length).toBeGreaterThanOrEqual(7)
  })

  test('a long text is not starved by short ones that never end', () => {
    const waiting = new WaitingRows()
    const even: BatchLimits = { tokens: 500, rows: 50 }
    // Each account gets half of a batch, so the first account always begins.
    add(waiting, 'first', Array(5000).fill(10))
    add(waiting, 'second', [400], 'long')
    add(waiting, 'second', Array(5000).fill(10))
    const batches = Array.from({ length: 8 }, () => waiting.take(even).map(({ request }) => request.name))
    expect(batches.findIndex((names) => names.includes('long'))).toBe(4)
  })

  test('a crowd of long texts that were passed over does not overtake who has had less', () => {
    const waiting = new WaitingRows()
    for (let index = 0; index < 600; index++) add(waiting, 'greedy', [490], `long ${index}`)
    for (let round = 0; round < 60; round++) {
      add(waiting, 'polite', [30], 'polite')
      const waited = Array.from({ length: 3 }, () => shape(waiting.take(limits)).map(([name]) => name))
      expect(waited.findIndex((names) => names.includes('polite'))).toBeLessThanOrEqual(2)
      expect(waited.flat()).toContain('polite')
    }
  })

  test('long texts that had to wait get no more than their share afterwards', () => {
    const waiting = new WaitingRows()
    const even: BatchLimits = { tokens: 500, rows: 50 }
    add(waiting, 'first', Array(5000).fill(10))
    add(waiting, 'second', Array(100).fill(400), 'long')
    add(waiting, 'second', Array(5000).fill(10))
    const served = { first: 0, second: 0 }
    for (let batch = 0; batch < 60; batch++) {
      for (const [name, length] of shape(waiting.take(even))) served[name === 'first' ? 'first' : 'second'] += length
    }
    expect(served.first / served.second).toBeGreaterThan(0.9)
  })
})

test('whatever comes and goes: every row once, no batch over the limits, tokens always counted', () => {
  const step = fc.oneof(
    {
      weight: 3,
      arbitrary: fc.record({
        account: fc.nat(3),
        lengths: fc.array(fc.integer({ min: 1, max: 600 }), { minLength: 1, maxLength: 30 }),
      }),
    },
    { weight: 3, arbitrary: fc.constant('take' as const) },
    { weight: 1, arbitrary: fc.record({ remove: fc.nat(20) }) },
  )
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const waiting = new WaitingRows()
      const left = new Map<Asked, Map<number, number>>()
      const tokens = () =>
        [...left.values()].flatMap((rows) => [...rows.values()]).reduce((sum, length) => sum + length, 0)
      const take = () => {
        const batch = waiting.take(limits)
        for (const { request, index, part } of batch) {
          expect(left.get(request)?.get(index)).toBe(part.ids.length)
          left.get(request)?.delete(index)
        }
        if (batch.length > 1) {
          expect(paddedTokens(batch)).toBeLessThanOrEqual(limits.tokens)
          expect(paddedTokens(batch)).toBeLessThanOrEqual(
            1.25 * batch.reduce((sum, { part }) => sum + part.ids.length, 0),
          )
        }
        return batch.length
      }
      for (const each of steps) {
        if (each === 'take') take()
        else if ('remove' in each) {
          const request = [...left.keys()][each.remove]
          if (request === undefined) continue
          waiting.remove(request)
          left.delete(request)
        } else {
          const request = add(waiting, `account ${each.account}`, each.lengths)
          left.set(request, new Map(each.lengths.entries()))
        }
        expect(waiting.tokens).toBe(tokens())
      }
      while (waiting.tokens > 0) expect(take()).toBeGreaterThan(0)
      expect(tokens()).toBe(0)
    }),
  )
})
