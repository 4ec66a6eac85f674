import { expect, test } from 'bun:test'
import { Turns } from './turns.ts'

const requests = ['a1', 'a2', 'b1', 'c1'].map((id) => ({ id, accountId: id.charAt(0) }))

function turns() {
  const all = new Turns<{ readonly id: string; readonly accountId: string }>()
  for (const request of requests) all.add(request)
  return all
}

test('accounts take turns, and so do the requests of one', () => {
  const all = turns()
  expect(Array.from({ length: 7 }, () => all.next(() => true)?.id)).toEqual(['a1', 'b1', 'c1', 'a2', 'b1', 'c1', 'a1'])
})

test('a request that is not ready is passed over and keeps its turn', () => {
  const all = turns()
  const notFirst = ({ id }: { readonly id: string }) => id !== 'a1'
  expect(Array.from({ length: 4 }, () => all.next(notFirst)?.id)).toEqual(['a2', 'b1', 'c1', 'a2'])
  expect(all.next(() => true)?.id).toBe('b1')
  expect(all.next(() => false)).toBeUndefined()
})

test('a request that was removed has no turn', () => {
  const all = turns()
  for (const request of requests.slice(0, 3)) all.remove(request)
  expect([all.next(() => true)?.id, all.next(() => true)?.id]).toEqual(['c1', 'c1'])
})
