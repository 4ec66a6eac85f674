import { expect, test } from 'bun:test'
import fc from 'fast-check'
import type { RepetitionLimit } from '../../../core/chat.ts'
import { LoopGuard } from './loop-guard.ts'

const usual: RepetitionLimit = { minPieceTokens: 1, maxPieceTokens: 128, minCount: 2, minTokens: 1024 }

/** Returns the number of tokens after which the guard stops this answer; undefined if it never does. */
function stopsAfter(
  tokens: Iterable<number>,
  limit: RepetitionLimit = usual,
  place: (count: number) => number | undefined = () => undefined,
): number | undefined {
  let count = 0
  const guard = new LoopGuard(limit, () => place(count))
  for (const token of tokens) {
    count++
    if (guard.push(token)) return count
  }
  return undefined
}

function repeated(piece: readonly number[], tokens: number): number[] {
  return Array.from({ length: tokens }, (_, index) => piece[index % piece.length] ?? 0)
}

function distinct(count: number, from = 1000): number[] {
  return Array.from({ length: count }, (_, index) => from + index)
}

test('stops at the 1,024th token of a repetition, whatever came before it', () => {
  for (const length of [1, 2, 7, 127, 128]) {
    const piece = distinct(length, 5)
    expect(stopsAfter(repeated(piece, 1023))).toBeUndefined()
    expect(stopsAfter(repeated(piece, 2000))).toBe(1024)
    expect(stopsAfter([...distinct(300), ...repeated(piece, 2000)])).toBe(1324)
  }
})

test('a longer piece, and a repetition that changes once, go on', () => {
  expect(stopsAfter(repeated(distinct(129), 5000))).toBeUndefined()
  const changed = repeated([1, 2, 3], 5000).map((token, index) => (index % 1000 === 999 ? 9 : token))
  expect(stopsAfter(changed)).toBeUndefined()
})

test('looks for pieces of the lengths and counts that a request names', () => {
  const limit = { minPieceTokens: 2, maxPieceTokens: 3, minCount: 4, minTokens: 0 }
  expect(stopsAfter([9, 9, 1, 2, 1, 2, 1, 2, 1, 2], limit)).toBe(10)
  expect(stopsAfter([1, 2, 3, 1, 2, 3, 1, 2, 3, 1, 2, 3], limit)).toBe(12)
  expect(stopsAfter(repeated([1, 2, 3, 4], 100), limit)).toBeUndefined()
})

test('under a grammar a repetition goes on while it leads somewhere', () => {
  const zeros = repeated([0, 44], 6000)
  // In a list of fixed length, the place in the grammar changes with each item.
  expect(stopsAfter(zeros, usual, (count) => count)).toBeUndefined()
  // In a string it does not: the answer ends after one more piece.
  expect(stopsAfter(zeros, usual, () => 7)).toBe(1026)
  // The list has ended, and a string follows.
  expect(stopsAfter(zeros, usual, (count) => Math.min(count, 3000))).toBe(3002)
})

test('agrees with a search through the whole answer', () => {
  const limits = fc.record({
    maxPieceTokens: fc.integer({ min: 1, max: 4 }),
    minTokens: fc.integer({ min: 0, max: 12 }),
  })
  const answers = fc.array(fc.integer({ min: 0, max: 2 }), { maxLength: 60 })
  fc.assert(
    fc.property(limits, answers, ({ maxPieceTokens, minTokens }, tokens) => {
      const limit = { minPieceTokens: 1, maxPieceTokens, minCount: 2, minTokens }
      const isStuck = (count: number) =>
        distinct(maxPieceTokens, 1).some((length) => {
          const last = Math.max(minTokens, 2 * length)
          const end = tokens.slice(count - last, count)
          return count >= last && end.every((token, index) => index < length || token === end[index - length])
        })
      const expected = distinct(tokens.length, 1).find(isStuck)
      expect(stopsAfter(tokens, limit)).toBe(expected)
    }),
  )
})

test('never stops an answer before the last token that it has room for', () => {
  const small = { minPieceTokens: 1, maxPieceTokens: 6, minCount: 2, minTokens: 9 }
  const answers = fc.array(fc.integer({ min: 0, max: 1 }), { maxLength: 60 })
  fc.assert(
    fc.property(answers, fc.array(fc.integer({ min: 0, max: 1 }), { minLength: 1, maxLength: 5 }), (start, piece) => {
      const guard = new LoopGuard(small, () => undefined)
      let sure = 0
      for (const token of [...start, ...repeated(piece, 40)]) {
        sure = Math.max(sure, guard.room) - 1
        expect(guard.room).toBeGreaterThan(0)
        if (!guard.push(token)) continue
        expect(sure).toBe(0)
        return
      }
      throw new Error('a repetition was not stopped')
    }),
  )
})

test('has room for many tokens while nothing is repeated', () => {
  const guard = new LoopGuard(usual, () => undefined)
  for (const token of distinct(200)) guard.push(token)
  expect(guard.room).toBeGreaterThan(800)
})
