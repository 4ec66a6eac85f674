import { expect, test } from 'bun:test'
import { answerVersions, type Branch, newestLeaf, pathTo, questionVersions, withoutRemoved } from './tree.ts'

/** 1 → 2 → 3. Question 2 was edited to 4, whose answer was redone as 5. 6 follows 5. */
const tree: readonly Branch[] = [
  { id: 1, parent: 0, questionId: 10, askedAtMs: 1 },
  { id: 2, parent: 1, questionId: 20, askedAtMs: 2 },
  { id: 3, parent: 2, questionId: 30, askedAtMs: 3 },
  { id: 4, parent: 1, questionId: 40, askedAtMs: 4 },
  { id: 5, parent: 1, questionId: 40, askedAtMs: 5 },
  { id: 6, parent: 5, questionId: 60, askedAtMs: 6 },
]
const item = (id: number) => tree.find((one) => one.id === id) ?? { id, parent: 0, questionId: 0, askedAtMs: 0 }
const ids = (items: readonly Branch[]) => items.map(({ id }) => id)

test('a path leads from the beginning to its leaf, or to the newest exchange if the leaf is unknown', () => {
  expect(ids(pathTo(tree, 3))).toEqual([1, 2, 3])
  expect(ids(pathTo(tree, 2))).toEqual([1, 2])
  expect(ids(pathTo(tree, 99))).toEqual([1, 5, 6])
  expect(pathTo([], 3)).toEqual([])
})

test('an edited question and a redone answer are counted apart', () => {
  expect(questionVersions(tree, item(2))).toEqual({ ids: [2, 5], index: 0 })
  expect(questionVersions(tree, item(4))).toEqual({ ids: [2, 5], index: 1 })
  expect(answerVersions(tree, item(4))).toEqual({ ids: [4, 5], index: 0 })
  expect(answerVersions(tree, item(2))).toEqual({ ids: [2], index: 0 })
})

test('a version is shown with the newest exchanges after it', () => {
  expect(newestLeaf(tree, 2)).toBe(3)
  expect(newestLeaf(tree, 5)).toBe(6)
  expect(newestLeaf(tree, 4)).toBe(4)
  expect(newestLeaf(tree, 0)).toBe(6)
})

test('what follows a removed exchange follows the one before it', () => {
  const without = (...removed: number[]) =>
    withoutRemoved(tree.map((one) => (removed.includes(one.id) ? { ...one, isRemoved: true } : one)))
  expect(ids(pathTo(without(2), 3))).toEqual([1, 3])
  expect(ids(pathTo(without(1), 6))).toEqual([5, 6])
  expect(ids(pathTo(without(1, 2), 3))).toEqual([3])
  expect(without(1, 2).map(({ parent }) => parent)).toEqual([0, 0, 0, 5])
  expect(without()).toEqual([...tree])
})

test('a circle in a damaged file ends', () => {
  const circle: readonly Branch[] = [
    { id: 1, parent: 2, questionId: 1, askedAtMs: 1 },
    { id: 2, parent: 1, questionId: 2, askedAtMs: 2 },
  ]
  expect(ids(pathTo(circle, 2))).toEqual([1, 2])
  expect([1, 2]).toContain(newestLeaf(circle, 1))
})
