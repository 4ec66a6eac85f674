import { expect, test } from 'bun:test'
import { needBytes } from './memory-need.ts'

const gigabyte = 1e9
const parts = { modelBytes: 4 * gigabyte, contextBytes: 2 * gigabyte, computeBytes: gigabyte }
const settings = { prefixCacheMb: 0, parallel: 1 }
const nothing = needBytes({}, { vocabularySize: 0 }, settings).host ?? 0

test('on the CPU a model needs what llama.cpp tells, and the process', () => {
  expect(needBytes({ host: parts }, { vocabularySize: 0 }, settings)).toEqual({ host: 7 * gigabyte + nothing })
})

test('vocabulary, answers side by side and parked prompts need memory that llama.cpp does not tell', () => {
  const vocabularySize = 150_000
  const one = needBytes({}, { vocabularySize }, settings).host ?? 0
  expect(one - nothing).toBe(vocabularySize * 256)
  expect(needBytes({}, { vocabularySize }, { ...settings, parallel: 9 }).host).toBe(one + 8 * 16 * vocabularySize)
  expect(needBytes({}, { vocabularySize }, { ...settings, prefixCacheMb: 100 }).host).toBe(one + 100 * 1024 * 1024)
})

test('a device needs a context of its own, but only where something lies on it', () => {
  const none = { modelBytes: 0, contextBytes: 0, computeBytes: 0 }
  const need = needBytes({ gpu0: parts, gpu1: none }, { vocabularySize: 0 }, settings)
  expect(need).toEqual({ host: nothing, gpu0: 7.14 * gigabyte + 512 * 1024 * 1024 })
})
