import { expect, test } from 'bun:test'
import { FairTurns } from './fair-turns.ts'

function take(turns: FairTurns<string>, count: number): string {
  return Array.from({ length: count }, () => turns.next() ?? '-').join('')
}

test('accounts take turns, and so do the requests of one account', () => {
  const turns = new FairTurns<string>()
  turns.add('first', 'a')
  turns.add('first', 'b')
  turns.add('second', 'x')
  expect(take(turns, 8)).toBe('axbxaxbx')
})

test('who comes later does not wait for what others had, and does not take it back', () => {
  const turns = new FairTurns<string>()
  turns.add('first', 'a')
  take(turns, 100)
  turns.add('second', 'x')
  turns.add('first', 'b')
  expect(take(turns, 6)).toBe('axbxax')
})

test('what is removed has no more turns', () => {
  const turns = new FairTurns<string>()
  expect(turns.next()).toBeUndefined()
  turns.add('first', 'a')
  turns.add('second', 'x')
  turns.remove('first', 'a')
  turns.remove('first', 'a')
  turns.remove('third', 'c')
  expect(take(turns, 2)).toBe('xx')
  turns.remove('second', 'x')
  expect(turns.next()).toBeUndefined()
})
