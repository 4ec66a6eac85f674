import { expect, test } from 'bun:test'
import { readDuration, readSize, sizeText, writeDuration, writeSize } from './quantities.ts'

test.each([
  ['24GB', 24_000_000_000, '24GB'],
  ['512MB', 512_000_000, '512MB'],
  ['2 gib', 2_147_483_648, '2GiB'],
  ['1.5GB', 1_500_000_000, '1500MB'],
  ['0', 0, '0'],
  ['123', 123, '123'],
  ['64KiB', 65_536, '64KiB'],
])('the size %s is %p bytes', (text, bytes, written) => {
  expect(readSize(text)).toBe(bytes)
  expect(writeSize(bytes)).toBe(written)
  expect(readSize(written)).toBe(bytes)
})

test.each(['', 'GB', '-1GB', '1,5GB', '1e3', '24 G', '24GBps', '9999999999TB', ' 1GB'])('%p is no size', (text) => {
  expect(readSize(text)).toBeUndefined()
})

test.each([
  ['30m', 1_800_000, '30m'],
  ['90s', 90_000, '90s'],
  ['2h', 7_200_000, '2h'],
  ['1.5s', 1_500, '1.5s'],
  ['0s', 0, '0s'],
  ['48h', 172_800_000, '2d'],
])('the duration %s is %p ms', (text, ms, written) => {
  expect(readDuration(text)).toBe(ms)
  expect(writeDuration(ms)).toBe(written)
  expect(readDuration(written)).toBe(ms)
})

test.each(['', '30', 'm', '30 minutes', '-1s', 'never'])('%p is no duration', (text) => {
  expect(readDuration(text)).toBeUndefined()
})

test('no end of time is written as never', () => {
  expect(writeDuration(Number.POSITIVE_INFINITY)).toBe('never')
})

test.each([
  [21_340_000_000, '21.3 GB'],
  [512_000_000, '512 MB'],
  [2_000_000_000, '2 GB'],
  [999, '999 B'],
  [0, '0 B'],
])('%p bytes are shown as %s', (bytes, text) => {
  expect(sizeText(bytes)).toBe(text)
})
