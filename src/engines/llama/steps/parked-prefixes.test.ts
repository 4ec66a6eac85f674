import { expect, test } from 'bun:test'
import { type ParkedPrefix, ParkedPrefixes } from './parked-prefixes.ts'

function prefix(units: number[], bytes = 10, accountId = 'a'): ParkedPrefix {
  return { units, accountId, windowStart: 0, state: new Uint8Array(bytes), usedMs: 0 }
}

test('forgets the least recently used when it is full', () => {
  const parked = new ParkedPrefixes(30)
  const [first, second, third, fourth] = [prefix([1]), prefix([2]), prefix([3]), prefix([4])]
  for (const one of [first, second, third]) parked.add(one)
  parked.touch(first, 1)
  parked.add(fourth)
  expect(parked.all).toEqual([third, first, fourth])
})

test('spares once what was continued', () => {
  const parked = new ParkedPrefixes(30)
  const conversation = prefix([1])
  parked.add(conversation)
  parked.touch(conversation, 1)
  const documents = [2, 3, 4, 5, 6, 7].map((unit) => prefix([unit]))
  for (const document of documents.slice(0, 3)) parked.add(document)
  expect(parked.all).toEqual([documents[1], documents[2], conversation] as ParkedPrefix[])
  for (const document of documents.slice(3)) parked.add(document)
  expect(parked.all).toEqual(documents.slice(3))
})

test('what is new pushes out what was continued long ago', () => {
  const parked = new ParkedPrefixes(20)
  for (const unit of [1, 2]) {
    const old = prefix([unit])
    parked.add(old)
    parked.touch(old, 1)
  }
  for (const unit of [3, 4, 5]) parked.add(prefix([unit]))
  expect(parked.all.map(({ units }) => units)).toEqual([[4], [5]])
})

test('keeps nothing that is larger than all of it, and loses nothing for it', () => {
  const parked = new ParkedPrefixes(30)
  parked.add(prefix([1]))
  parked.add(prefix([2], 31))
  expect(parked.all.map(({ units }) => units)).toEqual([[1]])
})

test('a conversation that has gone on takes the place of its beginning, of the same account only', () => {
  const parked = new ParkedPrefixes(100)
  parked.add(prefix([1, 2]))
  parked.add(prefix([1, 2], 10, 'b'))
  parked.add(prefix([1, 9]))
  parked.add(prefix([1, 2, 3]))
  expect(parked.all.map(({ units, accountId }) => [accountId, ...units])).toEqual([
    ['b', 1, 2],
    ['a', 1, 9],
    ['a', 1, 2, 3],
  ])
})

test('what was forgotten does not come back by being of use', () => {
  const parked = new ParkedPrefixes(15)
  const [first, second] = [prefix([1]), prefix([2])]
  parked.add(first)
  parked.add(second)
  parked.touch(first, 1)
  expect(parked.all).toEqual([second])
})
