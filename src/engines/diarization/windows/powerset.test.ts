import { expect, test } from 'bun:test'
import { powersetMasks, speakersInMask } from './powerset.ts'

test('the classes of pyannote’s segmentation: nobody, each of three, each pair', () => {
  expect([...powersetMasks(3, 2)]).toEqual([0b000, 0b001, 0b010, 0b100, 0b011, 0b101, 0b110])
})

test('any number of speakers and of those who speak together', () => {
  expect([...powersetMasks(2, 1)]).toEqual([0b00, 0b01, 0b10])
  expect([...powersetMasks(3, 3)].at(-1)).toBe(0b111)
  expect(powersetMasks(4, 3).length).toBe(1 + 4 + 6 + 4)
})

test('speakers of a set are counted', () => {
  expect([0, 0b1, 0b110, 0b111, 0xff].map((mask) => speakersInMask[mask] ?? -1)).toEqual([0, 1, 2, 3, 8])
})
