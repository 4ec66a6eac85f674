import { expect, test } from 'bun:test'
import { needBytes } from './memory-need.ts'

const gigabyte = 1e9
const parts = { modelBytes: 4 * gigabyte, contextBytes: 2 * gigabyte, computeBytes: gigabyte }
const settings = { prefixCacheMb: 0, imageCacheMb: 0, parallel: 1, batchTokens: 512 }
const none = { vocabularySize: 0, embeddingSize: 0 }
const plain = { sees: false, hasHead: false, draftRows: 0 }
const nothing = needBytes({}, none, settings, plain).host ?? 0

test('on the CPU a model needs what llama.cpp tells, and the process', () => {
  expect(needBytes({ host: parts }, none, settings, plain)).toEqual({ host: 7 * gigabyte + nothing })
})

test('vocabulary, answers side by side and parked prompts need memory that llama.cpp does not tell', () => {
  const vocabularySize = 150_000
  const one = needBytes({}, { ...none, vocabularySize }, settings, plain).host ?? 0
  expect(one - nothing).toBe(vocabularySize * 256)
  expect(needBytes({}, { ...none, vocabularySize }, { ...settings, parallel: 9 }, plain).host).toBe(
    one + 8 * 16 * vocabularySize,
  )
  expect(needBytes({}, { ...none, vocabularySize }, { ...settings, prefixCacheMb: 100 }, plain).host).toBe(
    one + 100 * 1024 * 1024,
  )
})

test('where tokens are proposed a step samples after more rows than there are answers', () => {
  const need = (draftRows: number) =>
    needBytes({}, { ...none, vocabularySize: 1000 }, { ...settings, parallel: 8 }, { ...plain, draftRows }).host ?? 0
  expect(need(32) - need(0)).toBe(4 * 1000 * 24)
  expect(need(8)).toBe(need(0))
})

test('a device needs a context of its own, but only where something lies on it', () => {
  const nothingThere = { modelBytes: 0, contextBytes: 0, computeBytes: 0 }
  const need = needBytes({ gpu0: parts, gpu1: nothingThere }, none, settings, plain)
  expect(need).toEqual({ host: nothing, gpu0: 7.14 * gigabyte + 512 * 1024 * 1024 })
})

test('a model that sees decodes pictures, and keeps them encoded, in the memory of the host', () => {
  const need = needBytes({ gpu0: parts }, none, { ...settings, imageCacheMb: 100 }, { ...plain, sees: true })
  expect((need.host ?? 0) - nothing).toBe(360_000_000 + (128 + 100) * 1024 * 1024)
  expect(need.gpu0).toEqual(needBytes({ gpu0: parts }, none, settings, plain).gpu0)
})

test('a draft head gets the states of a whole batch, and tells what it thinks of all tokens', () => {
  const info = { vocabularySize: 1000, embeddingSize: 64 }
  const need = (hasHead: boolean) => needBytes({}, info, { ...settings, parallel: 2 }, { ...plain, hasHead }).host ?? 0
  expect(need(true) - need(false)).toBe(4 * 4 * 64 * 512 + 4 * 1000 * 2)
})
