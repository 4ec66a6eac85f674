import { expect, test } from 'bun:test'
import { cacheText } from './ps.ts'

test.each([
  [{ isUnified: true, sequences: 8, tokensEach: 32_768, reason: 'cpu' }, 'one (on a CPU)'],
  [{ isUnified: true, sequences: 8, tokensEach: 32_768, reason: 'long-requests' }, 'one (for long requests)'],
  [{ isUnified: false, sequences: 8, tokensEach: 4096, reason: 'fastest' }, '8 of 4096 tokens (fastest)'],
  [{ isUnified: false, sequences: 1, tokensEach: 32_768, reason: 'all-fit' }, '1 of 32768 tokens (every request fits)'],
] as const)('%j', (layout, text) => {
  expect(cacheText(layout)).toBe(text)
})
