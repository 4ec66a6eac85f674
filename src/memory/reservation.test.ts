import { expect, test } from 'bun:test'
import { maximumOf, overheadBytes, reservationBytes, takenFromDevices } from './reservation.ts'

const gigabyte = 1e9
const nothingKnown = { peakBytes: {}, overheadBytes: {} }

test('without measurements the estimate is reserved', () => {
  expect(reservationBytes({ gpu0: 8, host: 1 }, nothingKnown)).toEqual({ gpu0: 8, host: 1 })
})

test('what models of the backend had above their estimates comes on top, in the pools that are used', () => {
  const recalled = { peakBytes: {}, overheadBytes: { gpu0: 3, gpu1: 5, host: 2 } }
  expect(reservationBytes({ gpu0: 8, host: 1 }, recalled)).toEqual({ gpu0: 11, host: 3 })
})

test('the highest that was measured is reserved where it is more', () => {
  const recalled = { peakBytes: { gpu0: 7, host: 6, gpu1: 1 }, overheadBytes: { gpu0: 1 } }
  expect(reservationBytes({ gpu0: 8, host: 1 }, recalled)).toEqual({ gpu0: 9, host: 6, gpu1: 1 })
})

test('a measurement below the estimate takes nothing away', () => {
  expect(reservationBytes({ host: 8 }, { peakBytes: { host: 2 }, overheadBytes: { host: 0 } })).toEqual({ host: 8 })
})

test('one wrong estimate does not make every model of its backend large', () => {
  const recalled = { peakBytes: {}, overheadBytes: { host: 40 * gigabyte } }
  expect(reservationBytes({ host: gigabyte }, recalled).host).toBe(gigabyte + 2 ** 31)
})

test('overhead is what was measured above the estimate, in every pool', () => {
  expect(overheadBytes({ gpu0: 8, host: 4 }, { gpu0: 9, host: 3, gpu1: 1 })).toEqual({ gpu0: 1, host: 0, gpu1: 1 })
})

test('of two measurements the larger counts, by pool', () => {
  expect(maximumOf({ gpu0: 3, host: 1 }, { host: 2, gpu1: 1 })).toEqual({ gpu0: 3, host: 2, gpu1: 1 })
})

test('a load took what is missing of each device that was known before and after', () => {
  const before = {
    host: { totalBytes: 64, freeBytes: 50 },
    gpu0: { totalBytes: 24, freeBytes: 20 },
    gpu1: { totalBytes: 24, freeBytes: 20 },
    gpu2: 'unknown',
  } as const
  const after = {
    host: { totalBytes: 64, freeBytes: 40 },
    gpu0: { totalBytes: 24, freeBytes: 9 },
    gpu1: { totalBytes: 24, freeBytes: 21 },
    gpu2: { totalBytes: 24, freeBytes: 9 },
    gpu3: 'unknown',
  } as const
  expect(takenFromDevices(before, after)).toEqual({ gpu0: 11, gpu1: 0 })
})
