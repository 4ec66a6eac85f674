import { expect, test } from 'bun:test'
import type { NativeContextOptions, NativeModel } from '../native.ts'
import { onAllDevices, onCpu } from '../placement.ts'
import { stepTokens, tileRowsOf } from './processor.ts'

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

test('a step on a GPU holds four batches, within a quarter of the context; elsewhere one', () => {
  const onGpu = onAllDevices([0])
  const options = { batchTokens: 512, contextTokens: 65_536 }
  expect(stepTokens(options, onGpu)).toBe(2048)
  expect(stepTokens({ ...options, batchTokens: 128 }, onGpu)).toBe(512)
  expect(stepTokens({ ...options, contextTokens: 4096 }, onGpu)).toBe(1024)
  expect(stepTokens({ ...options, contextTokens: 1024 }, onGpu)).toBe(512)
  expect(stepTokens(options, onCpu)).toBe(512)
  expect(stepTokens(options, { ...onGpu, cpuExpertBlocks: 2 })).toBe(512)
  expect(stepTokens({ ...options, draftHead: {} as NativeModel }, onGpu)).toBe(512)
})
