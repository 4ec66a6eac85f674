/**
 * States of the starter model, moved to contexts of every layout: the text continues as it would have without the move.
 */
import { afterAll, expect, test } from 'bun:test'
import { join } from 'node:path'
import { greedySampler, openTestAddon, testContextOptions } from '../../../testing/native-options.ts'
import type { NativeContext } from '../native.ts'
import { loadOptions, onCpu } from '../placement.ts'
import { moveState } from '../steps/parked-prefixes.ts'

const addon = await openTestAddon()
const path = join(import.meta.dir, '../../../../models/starter/starter-chat-q8_0.gguf')
const model = await addon.loadModel(loadOptions(path, onCpu))
afterAll(() => model.close())

const prompt = await model.tokenize('The cat sat on the mat and looked at the bird in the tree.', true, false)

async function tokenBehind(context: NativeContext, sequence: number, from: number): Promise<number> {
  const tokens = prompt.slice(from)
  const result = await context.step({
    tokens,
    positions: tokens.map((_, index) => from + index),
    sequences: tokens.map(() => sequence),
    outputs: [{ entry: tokens.length - 1, sampler: new addon.Sampler(model, greedySampler) }],
  })
  if (result.kind !== 'ok') throw new Error(result.kind)
  return result.samples[0]?.[0]?.token ?? -1
}

function contextOf(caches: number): NativeContext {
  return new addon.Context(model, { ...testContextOptions, sequences: Math.max(2, caches), kvUnified: caches === 1 })
}

test.each([
  [1, 4],
  [4, 1],
  [4, 2],
  [2, 4],
  [1, 1],
])('from %i caches to %i', async (from, to) => {
  const source = contextOf(from)
  const target = contextOf(to)
  const sequence = from === 1 ? 1 : from - 1
  const expected = await tokenBehind(source, sequence, 0)
  const state = source.saveSequence(sequence)
  expect(from === to || !target.restoreSequence(1, state)).toBe(true)
  expect(target.restoreSequence(1, moveState(state, to))).toBe(true)
  expect([target.minPosition(1), target.maxPosition(1)]).toEqual([0, prompt.length - 1])
  expect(target.removeSequence(1, prompt.length - 1, -1)).toBe(true)
  expect(await tokenBehind(target, 1, prompt.length - 1)).toBe(expected)
  await Promise.all([source.close(), target.close()])
})

test('an empty sequence stays empty', async () => {
  const source = contextOf(4)
  const target = contextOf(1)
  expect(target.restoreSequence(0, moveState(source.saveSequence(2), 1))).toBe(true)
  expect(target.maxPosition(0)).toBe(-1)
  await Promise.all([source.close(), target.close()])
})
