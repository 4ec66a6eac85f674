import { expect, test } from 'bun:test'
import { readGguf } from './read-gguf.ts'
import { tinyGguf } from './tiny-gguf.ts'

test('the same seed gives the same file and another seed another one', () => {
  expect(tinyGguf({ seed: 7 })).toEqual(tinyGguf({ seed: 7 }))
  expect(tinyGguf({ seed: 7 })).not.toEqual(tinyGguf({ seed: 8 }))
})

test('the header reads back with the chosen template and context length', () => {
  const { metadata, tensors } = readGguf(tinyGguf({ chatTemplate: 'throws', contextTokens: 512 }))
  expect(metadata.get('qwen2.context_length')).toEqual({ type: 'uint32', value: 512 })
  expect(metadata.get('tokenizer.chat_template')).toMatchObject({ value: expect.stringContaining('raise_exception') })
  expect(tensors).toHaveLength(3 + 2 * 12)
  expect(readGguf(tinyGguf({ chatTemplate: 'none' })).metadata.has('tokenizer.chat_template')).toBe(false)
})
