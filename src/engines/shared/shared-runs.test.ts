import { expect, test } from 'bun:test'
import { SharedRuns } from './shared-runs.ts'

/** Runs that double numbers and fail if `isBroken` returns true. */
function start(limit: number, isBroken: (chunks: readonly number[]) => boolean) {
  const sizes: number[] = []
  const runs = new SharedRuns<number, number>(limit, async (chunks) => {
    sizes.push(chunks.length)
    if (isBroken(chunks)) throw new Error(`${chunks.length} failed`)
    return chunks.map((chunk) => 2 * chunk)
  })
  return { runs, sizes }
}

const upTo = (count: number) => Array.from({ length: count }, (_, at) => at)
const doubled = (count: number) => upTo(count).map((at) => ({ status: 'fulfilled', value: 2 * at }))

test('a run that is too large for the device is halved, and later ones stay smaller', async () => {
  const { runs, sizes } = start(16, (chunks) => chunks.length > 3)
  expect(await runs.compute(upTo(16))).toEqual(doubled(16) as never)
  expect(runs.limit).toBe(2)
  sizes.length = 0
  expect(await runs.compute(upTo(2))).toEqual(doubled(2) as never)
  expect(sizes).toEqual([2])
})

test('a broken chunk fails alone, whatever its place, and later runs are as large as before', async () => {
  for (const broken of [0, 3, 6]) {
    const { runs } = start(8, (chunks) => chunks.includes(broken))
    const results = await runs.compute(upTo(7))
    const expected = doubled(7).map((each, at) =>
      at === broken ? expect.objectContaining({ status: 'rejected' }) : each,
    )
    expect(results).toEqual(expected as never)
    expect(runs.limit).toBe(8)
  }
})

test('a device that computes nothing any more fails every chunk', async () => {
  const { runs } = start(8, () => true)
  const results = await runs.compute(upTo(5))
  expect(results.map(({ status }) => status)).toEqual(Array(5).fill('rejected'))
  expect(await runs.compute([])).toEqual([])
})
