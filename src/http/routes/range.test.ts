import { expect, test } from 'bun:test'
import { readRange } from './share.ts'

test.each([
  [null, 'whole'],
  ['bytes=0-9', { start: 0, end: 10 }],
  ['bytes=90-', { start: 90, end: 100 }],
  ['bytes=90-200', { start: 90, end: 100 }],
  ['bytes=-10', { start: 90, end: 100 }],
  ['bytes=-200', { start: 0, end: 100 }],
  ['bytes=99-99', { start: 99, end: 100 }],
  ['bytes=100-', 'none'],
  ['bytes=100-200', 'none'],
  ['bytes=-0', 'none'],
  ['bytes=5-4', 'whole'],
  ['bytes=0-1,5-6', 'whole'],
  ['bytes=', 'whole'],
  ['bytes=-', 'whole'],
  ['items=0-9', 'whole'],
  ['bytes=99999999999999999999-', 'none'],
] as const)('of 100 bytes, %j asks for %j', (header, range) => {
  expect(readRange(header, 100)).toEqual(range)
})
