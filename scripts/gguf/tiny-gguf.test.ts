import { afterAll, describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { NodeLlamaCppPeer } from '../bench/chat/node-llama-cpp-peer.ts'
import { damageGguf, type GgufDamage, ggufDamages } from './damage-gguf.ts'
import { readGguf } from './read-gguf.ts'
import { tinyGguf } from './tiny-gguf.ts'

const folder = mkdtempSync(join(tmpdir(), 'inferd-gguf-'))
afterAll(() => rmSync(folder, { recursive: true }))

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

/** Loads the bytes in a process of their own and generates; rejects when llama.cpp refuses them or dies of them. */
async function generate(bytes: Uint8Array, tokens: number): Promise<number> {
  const path = join(folder, `${crypto.randomUUID()}.gguf`)
  await Bun.write(path, bytes)
  const peer = new NodeLlamaCppPeer({ model: path, threads: 1, contextTokens: 256 })
  try {
    await peer.start()
    const [result] = await peer.run([{ prompt: 'hello world', tokens, temperature: 0.8, seed: 1 }])
    return result?.completionTokens ?? 0
  } finally {
    await peer.stop()
  }
}

describe('in llama.cpp', () => {
  test('the model loads and generates as many tokens as asked for', async () => {
    expect(await generate(tinyGguf(), 40)).toBe(40)
  }, 30_000)

  // A wrong data offset in the last tensor and a cut in its data are what llama.cpp must notice from sizes alone.
  const damages: readonly GgufDamage[] = ['empty', 'wrong-magic', 'cut-in-metadata', 'cut-in-data', 'offset-past-end']
  test.each(damages)(
    'a file damaged by %s is refused',
    async (damage) => {
      expect(ggufDamages).toContain(damage)
      await expect(generate(damageGguf(tinyGguf(), damage), 1)).rejects.toThrow()
    },
    30_000,
  )
})
