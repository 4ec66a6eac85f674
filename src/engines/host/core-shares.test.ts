import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { coresOf, defaultThreads } from '../../machine/cpu-allowance.ts'
import { coreShares } from './share-cores.ts'

/** Engines use 7 threads by default, 8 where the operator sets them. */
const eightCores = { physicalCores: 8, allowedProcessors: 16, quotaCores: undefined }
const twoCores = { physicalCores: 2, allowedProcessors: 2, quotaCores: undefined }

test.each([
  ['none is busy', [], []],
  ['one that is busy alone has all', [7], [7]],
  ['alone it has what the operator set, however much', [12], [12]],
  ['two have a half each, the earlier one the remainder', [7, 7], [4, 3]],
  ['three', [7, 7, 7], [3, 2, 2]],
  ['a configured number is a maximum, and leaves more to others', [2, 7], [2, 5]],
  ['small ones leave cores unused rather than others without', [1, 2], [1, 2]],
  ['who uses every core keeps doing so together with others', [8, 8], [4, 4]],
  ['more engines than cores have one thread each', Array(9).fill(7), Array(9).fill(1)],
])('%s', (_, wishes, shares) => {
  expect(coreShares(wishes, eightCores)).toEqual(shares)
})

test('on two cores each of two engines has one, whatever the operator set', () => {
  expect(coreShares([1, 1], twoCores)).toEqual([1, 1])
  expect(coreShares([2, 2], twoCores)).toEqual([1, 1])
  expect(coreShares([64, 64], twoCores)).toEqual([1, 1])
})

test('nobody has more than its wish, all together no more than one alone or the cores, and none is left that one wants', () => {
  const allowances = fc.record({
    physicalCores: fc.integer({ min: 1, max: 128 }),
    allowedProcessors: fc.integer({ min: 1, max: 128 }),
    quotaCores: fc.option(fc.double({ min: 0.5, max: 64, noNaN: true }), { nil: undefined }),
  })
  const wishLists = fc.array(fc.integer({ min: 1, max: 64 }), { minLength: 2, maxLength: 12 })
  fc.assert(
    fc.property(wishLists, allowances, (wishes, allowance) => {
      const shares = coreShares(wishes, allowance)
      const sum = shares.reduce((all, share) => all + share, 0)
      const limit = Math.max(defaultThreads(allowance), Math.min(coresOf(allowance), Math.max(...wishes)))
      expect(shares.every((share, index) => share >= 1 && share <= (wishes[index] ?? 0))).toBe(true)
      expect(sum).toBeLessThanOrEqual(Math.max(limit, wishes.length))
      const wants = shares.some((share, index) => share < (wishes[index] ?? 0))
      if (wants && wishes.length <= limit) expect(sum).toBe(limit)
      // Engines that want more threads have equal shares, except for the remainder.
      const wanting = shares.filter((share, index) => share < (wishes[index] ?? 0))
      expect(Math.max(...shares) - Math.min(...wanting)).toBeLessThanOrEqual(1)
    }),
  )
})
