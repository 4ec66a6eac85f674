import { describe, expect, test } from 'bun:test'
import { chooseDrafts } from './step-policy.ts'

const sure = Array.from({ length: 31 }, (_, index) => 0.98 ** (index + 1))
const doubtful = Array.from({ length: 5 }, (_, index) => 0.3 ** (index + 1))

/** Returns the costs of steps by rows, interpolated linearly between the named ones. */
function costs(named: Readonly<Record<number, number>>) {
  const rows = Object.entries(named).map(([count, ms]) => [Number(count), ms] as const)
  return (count: number) => {
    const above = rows.findIndex(([known]) => known >= count)
    const [high, highMs] = rows[above] ?? [1, 1]
    const [low, lowMs] = rows[Math.max(0, above - 1)] ?? [1, 1]
    return high === low ? highMs : lowMs + ((highMs - lowMs) * (count - low)) / (high - low)
  }
}

describe('one answer', () => {
  const choose = (chances: readonly number[], estimateMs: (rows: number) => number, mostRows = 32) =>
    chooseDrafts([{ chances }], { rows: 1, mostRows, estimateMs, measurements: () => 2 })[0]

  test('gets all that is likely where rows cost little, as on a GPU', () => {
    const gpu = costs({ 1: 10, 32: 10.5 })
    expect(choose(sure, gpu)).toBe(31)
    expect(choose(doubtful, gpu)).toBeGreaterThan(1)
    expect(choose([], gpu)).toBe(0)
  })

  test('gets many or none where the second row is dear', () => {
    const dear = costs({ 1: 21, 2: 90, 4: 124, 8: 129, 16: 160, 32: 307 })
    expect(choose(sure, dear)).toBeGreaterThanOrEqual(15)
    expect(choose(sure.slice(0, 3), dear)).toBe(0)
    expect(choose(doubtful, dear)).toBe(0)
  })

  test('stops where a row more costs more than it brings', () => {
    const cheapUpToFour = costs({ 1: 74, 2: 98, 3: 110, 4: 126, 5: 209, 8: 200, 16: 400, 32: 900 })
    expect(choose(sure.slice(0, 5), cheapUpToFour)).toBe(3)
    expect(choose(doubtful, cheapUpToFour)).toBe(0)
  })

  test('gets none where nothing is known of costs, or they grow with the rows', () => {
    expect(choose(sure, () => Number.NaN)).toBe(0)
    expect(choose(sure, (rows) => 10 * rows)).toBe(0)
    expect(choose(sure, () => 0)).toBe(0)
  })

  test('never has more rows than a step can sample from', () => {
    expect(choose(sure, () => 10, 8)).toBe(7)
    expect(choose(sure, () => 10, 1)).toBe(0)
  })
})

test('what no step has cost yet is tried where it may gain, and no longer than until it is known', () => {
  const real = costs({ 1: 21, 2: 90, 4: 124, 8: 200, 16: 350, 32: 900 })
  const measured = new Map<number, number>([[1, 2]])
  const tried: number[] = []
  for (let step = 0; step < 30; step++) {
    const [count = 0] = chooseDrafts([{ chances: sure }], {
      rows: 1,
      mostRows: 32,
      estimateMs: (rows) => (measured.has(rows) ? real(rows) : 21 * rows),
      measurements: (rows) => measured.get(rows) ?? 0,
    })
    tried.push(count)
    measured.set(count + 1, (measured.get(count + 1) ?? 0) + 1)
  }
  expect(tried.slice(0, 8)).toEqual([31, 31, 15, 15, 7, 7, 3, 3])
  expect(new Set(tried.slice(10))).toEqual(new Set([0]))
  const unlikely = { rows: 1, mostRows: 32, estimateMs: (rows: number) => 21 * rows, measurements: () => 0 }
  expect(chooseDrafts([{ chances: [0.1, 0.01] }], unlikely)).toEqual([0])
})

test('a number of rows that no step had is taken for the next multiple of four', () => {
  const known = costs({ 8: 200, 16: 320, 32: 640 })
  const choose = (copying: number) => {
    const proposals = Array.from({ length: 8 }, (_, index) => ({ chances: index < copying ? [0.98] : [] }))
    const measurements = (rows: number) => ([8, 16, 32].includes(rows) ? 2 : 0)
    const counts = chooseDrafts(proposals, { rows: 8, mostRows: 32, estimateMs: known, measurements })
    return counts.reduce((sum, count) => sum + count, 0)
  }
  expect(choose(1)).toBe(0)
  expect(choose(8)).toBe(8)
})

test('of several answers the likeliest tokens come first', () => {
  const proposals = [{ chances: doubtful }, { chances: sure.slice(0, 6) }, { chances: [] }]
  const choose = (mostRows: number) =>
    chooseDrafts(proposals, { rows: 3, mostRows, estimateMs: () => 10, measurements: () => 2 })
  expect(choose(8)).toEqual([0, 5, 0])
  expect(choose(10)).toEqual([1, 6, 0])
  expect(choose(3)).toEqual([0, 0, 0])
})

test('one answer that copies does not hold up another one for long', () => {
  const real = costs({ 1: 74, 2: 98, 3: 110, 4: 126, 5: 209, 8: 200, 16: 330, 32: 650 })
  const choose = (proposals: Parameters<typeof chooseDrafts>[0]) =>
    chooseDrafts(proposals, { rows: proposals.length, mostRows: 32, estimateMs: real, measurements: () => 2 })
  const [copied = 0, other = 0] = choose([{ chances: sure }, { chances: [] }])
  expect([copied > 0, other]).toEqual([true, 0])
  expect(real(2 + copied)).toBeLessThan(1.5 * real(2))
  // Both answers gain by long steps.
  const both = choose([{ chances: sure }, { chances: sure }])
  expect(Math.min(...both)).toBeGreaterThan(5)
})
