import { expect, test } from 'bun:test'
import { needBytes } from './memory-need.ts'

const gigabyte = 1e9
const parts = { modelBytes: 4 * gigabyte, contextBytes: 2 * gigabyte, computeBytes: gigabyte }
const settings = { prefixCacheMb: 0, imageCacheMb: 0, parallel: 1 }
const nothing = needBytes({}, { vocabularySize: 0 }, settings, false).host ?? 0

test('on the CPU a model needs what llama.cpp tells, and the process', () => {
  expect(needBytes({ host: parts }, { vocabularySize: 0 }, settings, false)).toEqual({ host: 7 * gigabyte + nothing })
})

test('vocabulary, answers side by side and parked prompts need memory that llama.cpp does not tell', () => {
  const vocabularySize = 150_000
  const one = needBytes({}, { vocabularySize }, settings, false).host ?? 0
  expect(one - nothing).toBe(vocabularySize * 256)
  expect(needBytes({}, { vocabularySize }, { ...settings, parallel: 9 }, false).host).toBe(
    one + 8 * 16 * vocabularySize,
  )
  expect(needBytes({}, { vocabularySize }, { ...settings, prefixCacheMb: 100 }, false).host).toBe(
    one + 100 * 1024 * 1024,
  )
})

test('a device needs a context of its own, but only where something lies on it', () => {
  const none = { modelBytes: 0, contextBytes: 0, computeBytes: 0 }
  const need = needBytes({ gpu0: parts, gpu1: none }, { vocabularySize: 0 }, settings, false)
  expect(need).toEqual({ host: nothing, gpu0: 7.14 * gigabyte + 512 * 1024 * 1024 })
})

test('a model that sees decodes pictures, and keeps them encoded, in the memory of the host', () => {
  const need = needBytes({ gpu0: parts }, { vocabularySize: 0 }, { ...settings, imageCacheMb: 100 }, true)
  expect((need.host ?? 0) - nothing).toBe(360_000_000 + (128 + 100) * 1024 * 1024)
  expect(need.gpu0).toEqual(needBytes({ gpu0: parts }, { vocabularySize: 0 }, settings, false).gpu0)
})
