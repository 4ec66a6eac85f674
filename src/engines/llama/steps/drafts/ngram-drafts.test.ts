import { describe, expect, test } from 'bun:test'
import { Random } from '../../../../testing/scheduler/random.ts'
import { NgramDrafts } from './ngram-drafts.ts'

const range = (count: number, from = 0) => Array.from({ length: count }, (_, index) => from + index)

/** Grows the text unit by unit. Returns the proposals at each place. */
function proposedAlong(text: readonly number[], prompt: number, most = 8) {
  const units = text.slice(0, prompt)
  const drafts = new NgramDrafts(units)
  return text.slice(prompt).map((unit) => {
    const proposal = drafts.propose(most)
    units.push(unit)
    return proposal
  })
}

/** Returns the number of proposed tokens that the next ones match. */
function rightOnes(text: readonly number[], place: number, tokens: readonly number[]): number {
  const wrong = tokens.findIndex((token, index) => text[place + index] !== token)
  return wrong === -1 ? tokens.length : wrong
}

test('proposes what followed the last three units where they stood before', () => {
  const { tokens, chances } = new NgramDrafts([7, 1, 2, 3, 4, 5, 6, 9, 1, 2, 3]).propose(3)
  expect([tokens[0], chances.length]).toEqual([4, tokens.length])
  expect(new NgramDrafts([7, 1, 2, 3, 4, 5, 6, 9, 0, 2, 3]).propose(3).tokens).toEqual([])
  expect(new NgramDrafts([]).propose(3).tokens).toEqual([])
})

test('of several places it takes the last one', () => {
  const { tokens } = new NgramDrafts([1, 2, 3, 4, 1, 2, 3, 5, 1, 2, 3]).propose(1)
  expect(tokens).toEqual([5])
})

test('a text that repeats a piece is proposed to repeat it to any length', () => {
  const units = [...range(3), ...range(3), ...range(3), ...range(3), ...range(3), ...range(3), ...range(3)]
  expect(new NgramDrafts(units).propose(7).tokens).toEqual([0, 1, 2, 0, 1, 2, 0])
})

test('while a text copies another, all of the next tokens are proposed, the likelier the longer it has', () => {
  const piece = range(60, 100)
  const text = [...piece, 1, 2, ...piece]
  const along = proposedAlong(text, piece.length + 2)
  expect(along.slice(0, 3).map(({ tokens }) => tokens)).toEqual([[], [], []])
  const firstChances = along.slice(3, 50).map(({ chances }) => chances[0] ?? 0)
  expect([5, 10, 20].map((index) => (firstChances[index] ?? 0) > (firstChances[index - 5] ?? 0))).not.toContain(false)
  expect(firstChances.at(-1)).toBeGreaterThan(0.9)
  expect(along[40]?.tokens).toEqual(piece.slice(40, 48))
})

test('what is never right becomes unlikely, used or not, and is proposed again once it is', () => {
  const grams = range(40).flatMap((index) => [1, 2, 3, 1000 + index])
  const along = proposedAlong(grams, 8)
  const chanceAt = (index: number) => along[index]?.chances[0] ?? 0
  expect(chanceAt(3)).toBeGreaterThan(0.25)
  expect(chanceAt(along.length - 1)).toBeLessThan(0.1)
  const later = range(40).flatMap(() => [1, 2, 3, 4])
  const recovered = proposedAlong([...grams, ...later], 8)
  expect(recovered.at(-1)?.chances[0]).toBeGreaterThan(0.9)
})

test('chances are about how often the tokens are right', () => {
  const random = new Random(5)
  const units: number[] = range(50)
  // Copies the text 50 units before, with mistakes.
  while (units.length < 3000) units.push(random.isOneOf(12) ? 5000 + units.length : (units.at(-50) ?? 0))
  let expected = 0
  let right = 0
  for (const [index, { tokens, chances }] of proposedAlong(units, 50).entries()) {
    expected += chances.reduce((sum, chance) => sum + chance, 0)
    right += rightOnes(units, 50 + index, tokens)
  }
  expect(right).toBeGreaterThan(3000)
  expect(expected / right).toBeGreaterThan(0.75)
  expect(expected / right).toBeLessThan(1.3)
})

describe('pictures', () => {
  test('are neither looked for nor proposed', () => {
    const picture = [-1, -1, -1, -1]
    expect(new NgramDrafts([...picture, 5, 6, ...picture]).propose(4).tokens).toEqual([])
    const text = [...range(20, 100), -1, -1, 7, ...range(20, 100)]
    expect(new NgramDrafts(text).propose(4).tokens).toEqual([])
    expect(new NgramDrafts(text.slice(0, -1)).propose(4).tokens).toEqual([119])
  })
})

test('long texts are followed at a bounded size, the newer places first', () => {
  const random = new Random(1)
  const noise = Array.from({ length: 600_000 }, () => Math.floor(random.next() * 150_000))
  const units = [...noise, ...noise.slice(-100, -50)]
  const startedMs = performance.now()
  expect(new NgramDrafts(units).propose(8).tokens).toEqual(noise.slice(-50, -42))
  // It takes about 20 ms; a search at each place would take minutes.
  expect(performance.now() - startedMs).toBeLessThan(5000)
})
