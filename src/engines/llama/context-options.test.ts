import { expect, test } from 'bun:test'
import { tileRowsOf } from './context-options.ts'
import type { NativeContextOptions } from './native.ts'

test('flash attention on a CPU computes tiles of a plain cache, in micro-batches that are large enough', () => {
  const options: NativeContextOptions = {
    ...{ contextTokens: 4096, batchTokens: 512, microBatchTokens: 512, sequences: 4, threads: 1, kvUnified: true },
    ...{ kvType: 'f16', flashAttention: 'auto' },
  }
  expect(tileRowsOf('cpu', options)).toBe(64)
  expect(tileRowsOf('cpu', { ...options, microBatchTokens: 64 })).toBe(64)
  expect(tileRowsOf('cpu', { ...options, microBatchTokens: 63 })).toBe(1)
  expect(tileRowsOf('cpu', { ...options, flashAttention: 'off' })).toBe(1)
  expect(tileRowsOf('cpu', { ...options, kvType: 'q8_0' })).toBe(1)
  expect(tileRowsOf('cuda', options)).toBe(1)
})
