import { expect, test } from 'bun:test'
import { bytesText } from './bytes-text.ts'

test.each([
  [0, '0 B'],
  [999, '999 B'],
  [1_000, '1.0 kB'],
  [999_600, '1.0 MB'],
  [21_400_000_000, '21.4 GB'],
  [141_000_000_000, '141 GB'],
  [2e17, '200 PB'],
])('%p bytes are %p', (bytes, text) => {
  expect(bytesText(bytes)).toBe(text)
})
