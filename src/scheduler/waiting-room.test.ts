import { expect, test } from 'bun:test'
import { hasRoom, type WaitingRequest } from './waiting-room.ts'

/** Fills the room: each account in turn queues as many requests as it can. Returns their numbers. */
function fill(
  room: WaitingRequest[],
  maxWaiting: number,
  kind: WaitingRequest['kind'],
  ...accounts: string[]
): number[] {
  return accounts.map((account) => {
    let taken = 0
    for (; taken < 10_000 && hasRoom({ account, kind }, room, maxWaiting); taken++) room.push({ account, kind })
    return taken
  })
}

test('an account alone takes half of the places, and each further one half of what is left', () => {
  expect(fill([], 512, 'chat', 'a', 'b', 'c', 'd')).toEqual([257, 128, 64, 32])
})

test('there is a place for every further account, however many there are', () => {
  const room: WaitingRequest[] = []
  const names = Array.from({ length: 1_000 }, (_, index) => `account ${index}`)
  expect(fill(room, 512, 'chat', ...names).every((taken) => taken >= 1)).toBe(true)
  // Beyond the limit, no account has more than one request.
  expect(names.some((account) => hasRoom({ account, kind: 'chat' }, room, 512))).toBe(false)
})

test('an account that gives places back leaves them to all', () => {
  const room: WaitingRequest[] = []
  fill(room, 8, 'chat', 'a', 'b')
  expect(hasRoom({ account: 'b', kind: 'chat' }, room, 8)).toBe(false)
  const left = room.filter(({ account }) => account === 'b')
  expect(hasRoom({ account: 'b', kind: 'chat' }, left, 8)).toBe(true)
})

test('counts have few places of their own, and take none of chats', () => {
  const room: WaitingRequest[] = []
  expect(fill(room, 512, 'count', 'a', 'b')).toEqual([33, 16])
  expect(fill(room, 512, 'chat', 'a')).toEqual([257])
})

test('the smallest room still serves', () => {
  expect(fill([], 1, 'chat', 'a', 'b')).toEqual([1, 1])
  expect(fill([], 2, 'chat', 'a')).toEqual([2])
})

test('texts are not counted here', () => {
  expect(fill([], 1, 'embed', 'a')).toEqual([10_000])
})
