/** Tests generated models with llama.cpp itself: those of the tests load and generate, and damaged ones are refused. */
import { afterAll, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { damageGguf, type GgufDamage, ggufDamages } from '../../../src/testing/gguf/damage-gguf.ts'
import { tinyGguf } from '../../../src/testing/gguf/tiny-gguf.ts'
import { NodeLlamaCppPeer } from './node-llama-cpp-peer.ts'

const folder = mkdtempSync(join(tmpdir(), 'inferd-gguf-'))
afterAll(() => rmSync(folder, { recursive: true }))

/** Loads the bytes in a separate process and generates. Rejects if llama.cpp refuses them or crashes. */
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

test('the model loads and generates as many tokens as asked for', async () => {
  expect(await generate(tinyGguf(), 40)).toBe(40)
}, 60_000)

// Damages that llama.cpp must notice, among them by sizes alone a wrong data offset and a cut in the last tensor.
const damages: readonly GgufDamage[] = ['empty', 'wrong-magic', 'cut-in-metadata', 'cut-in-data', 'offset-past-end']
test.each(damages)(
  'a file damaged by %s is refused',
  async (damage) => {
    expect(ggufDamages).toContain(damage)
    await expect(generate(damageGguf(tinyGguf(), damage), 1)).rejects.toThrow()
  },
  30_000,
)
