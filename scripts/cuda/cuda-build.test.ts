import { describe, expect, test } from 'bun:test'
import { architecturesOf, unknownTo } from './cards.ts'
import { timeLeft } from './progress.ts'
import { architectureFlags, releaseArchitectures } from './units.ts'

describe('cards of a machine', () => {
  test.each([
    ['9.0\n', ['90']],
    ['8.9\n8.9\n 8.6 \n', ['86', '89']],
    ['12.0\n12.1\n10.0\n', ['100', '120a', '121a']],
    ['7.5\n6.1\n3.5\n', ['75']],
    ['[N/A]\n', []],
    ['No devices were found\n', []],
    ['', []],
  ])('%j', (printed, architectures) => {
    expect(architecturesOf(printed)).toEqual(architectures)
  })

  test('are compared with what a toolkit makes code for', () => {
    expect(unknownTo(['75', '90', '120'], ['75', '120a', '121a', '130'])).toEqual(['121a', '130'])
  })
})

describe('flags for architectures', () => {
  test('ask for machine code alone for the cards of a machine', () => {
    expect(architectureFlags(['90', '120a'])).toEqual([
      '-gencode=arch=compute_90,code=sm_90',
      '-gencode=arch=compute_120a,code=sm_120a',
    ])
  })

  test('end with PTX of 90 for a release, also when more is asked for', () => {
    for (const architectures of [releaseArchitectures, [...releaseArchitectures, '103']]) {
      const flags = architectureFlags(architectures)
      expect(flags).toHaveLength(architectures.length + 1)
      expect(flags.at(-1)).toBe('-gencode=arch=compute_90,code=compute_90')
    }
  })
})

test.each([
  [0, 0, 10, ''],
  [60_000, 10, 10, ''],
  [10_000, 5, 10, ', about 10 s left'],
  [600_000, 1, 10, ', about 90 minutes left'],
])('time left after %d ms and %d of %d files', (elapsedMs, done, total, text) => {
  expect(timeLeft(elapsedMs, done, total)).toBe(text)
})
