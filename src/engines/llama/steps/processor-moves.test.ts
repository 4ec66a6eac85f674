import { expect, test } from 'bun:test'
import { MoveWorth } from './processor.ts'

test('a state is moved while either cost is unknown, and where it is moved twice sooner than computed once', () => {
  const worth = new MoveWorth()
  expect(worth.isWorthIt()).toBe(true)
  worth.noteSave(430, 47)
  expect(worth.isWorthIt()).toBe(true)
  worth.noteComputed(512, 6000)
  expect(worth.isWorthIt()).toBe(true)
})

test('one that is not worth it is tried again now and then', () => {
  const worth = new MoveWorth()
  worth.noteSave(430, 47)
  worth.noteComputed(512, 48)
  expect(Array.from({ length: 128 }, () => worth.isWorthIt()).filter((isWorthIt) => isWorthIt)).toHaveLength(2)
  for (let save = 0; save < 10; save++) worth.noteSave(430, 2)
  expect(worth.isWorthIt()).toBe(true)
})

test('steps of few rows say nothing of what rows cost', () => {
  const worth = new MoveWorth()
  worth.noteSave(100, 10)
  worth.noteComputed(8, 5)
  worth.noteComputed(512, 48)
  expect(worth.isWorthIt()).toBe(false)
})
