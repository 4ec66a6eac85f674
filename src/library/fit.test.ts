import { expect, test } from 'bun:test'
import { fitOf, guessNeed, poolRooms } from './fit.ts'

const GB = 1e9
const room = (id: string, freeGb: number, heldGb = 0) => ({
  id,
  totalBytes: 141 * GB,
  freeBytes: freeGb * GB,
  heldBytes: heldGb * GB,
  foreignBytes: 0,
})
const needs = (bytes: Record<string, number>) => ({ bytes, source: 'measured' as const })

test('a model fits where it is free, alone once others are unloaded, or not at all', () => {
  const rooms = [room('host', 50), room('gpu0', 10, 20)]
  expect(fitOf(needs({ gpu0: 8 * GB, host: 1 * GB }), rooms)).toMatchObject({ verdict: 'fits', pool: 'gpu0' })
  expect(fitOf(needs({ gpu0: 25 * GB, host: 1 * GB }), rooms)).toEqual({
    verdict: 'alone',
    pool: 'gpu0',
    needBytes: 25 * GB,
    freeBytes: 10 * GB,
    heldBytes: 20 * GB,
  })
  expect(fitOf(needs({ gpu0: 8 * GB, host: 60 * GB }), rooms)).toMatchObject({ verdict: 'too-large', pool: 'host' })
  expect(fitOf(needs({ gpu1: GB }), rooms)).toBeUndefined()
})

test('without a measurement a model is guessed to lie in the roomiest device that holds it, else in the host', () => {
  const rooms = [room('host', 50), room('gpu0', 10), room('gpu1', 10, 20)]
  expect(Object.keys(guessNeed(20 * GB, rooms, true).bytes)).toEqual(['gpu1'])
  expect(Object.keys(guessNeed(40 * GB, rooms, true).bytes)).toEqual(['host'])
  expect(Object.keys(guessNeed(GB, rooms, false).bytes)).toEqual(['host'])
})

test('rooms count what all loaded models would give back, and what other programs use now', () => {
  const pool = { id: 'gpu0', totalBytes: 100 * GB, freeBytes: 30 * GB, keptBytes: 3 * GB, isFrozen: false }
  const pools = [{ ...pool, roomBytes: 60 * GB, reservedBytes: 35 * GB, foreignBytes: 37 * GB }]
  const readings = {
    gpu0: { totalBytes: 100 * GB, freeBytes: 30 * GB },
    host: { totalBytes: 64 * GB, freeBytes: 40 * GB },
  }
  expect(poolRooms({ pools }, readings, { keepBytes: 4 * GB })).toEqual([
    { id: 'gpu0', totalBytes: 100 * GB, freeBytes: 25 * GB, heldBytes: 35 * GB, foreignBytes: 37 * GB },
    { id: 'host', totalBytes: 64 * GB, freeBytes: 36 * GB, heldBytes: 0, foreignBytes: 24 * GB },
  ])
})

test('models that hold more than they may would give back the room alone', () => {
  const pool = { id: 'gpu0', totalBytes: 100 * GB, freeBytes: 0, keptBytes: 3 * GB, isFrozen: false }
  const pools = [{ ...pool, roomBytes: 40 * GB, reservedBytes: 50 * GB, foreignBytes: 57 * GB }]
  expect(poolRooms({ pools }, {}, {})).toMatchObject([{ freeBytes: 0, heldBytes: 40 * GB }])
})
