/**
 * A model with a sliding window reuses only the part of earlier prompts that the window still holds; nothing else
 * changes.
 */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ChatMessage } from '../../core/chat.ts'
import { textContent } from '../../core/content.ts'
import { writeModel } from '../../testing/gguf/model-file.ts'
import { modelOfShape, proportionedShape } from '../../testing/gguf/sized-shape.ts'
import { greedySampler, openTestAddon, testContextOptions } from '../../testing/native-options.ts'
import { startStarterEngine } from '../../testing/starter-engine.ts'
import type { NativeContext } from './native.ts'
import { loadOptions, onCpu } from './placement.ts'

const folder = mkdtempSync(join(tmpdir(), 'inferd-window-'))
const path = join(folder, 'gemma3.gguf')
const windowTokens = 64
/** Settings under which the window's cache has 256 places, llama.cpp's minimum. */
const settings = { parallel: 2, contextTokens: 4096, batchTokens: 64 }
/** A random model may end at any time. */
const noEnd = [287, 288, 289].map((token) => [token, -100] as const)

beforeAll(() => writeModel(modelOfShape('gemma3', proportionedShape('window', 128, 6, { windowTokens })), path))
afterAll(() => rmSync(folder, { recursive: true }))

const said = (role: 'user' | 'assistant', text: string): ChatMessage => ({ role, content: textContent(text) })
const long = (seed: number, words: number) =>
  Array.from({ length: words }, (_, i) => `w${(seed * 7 + i * 13) % 89}`).join(' ')

/** Conversations in the order in which they are sent: they grow, go back, begin alike, and come back. */
const histories: readonly (readonly ChatMessage[])[] = [
  [said('user', long(1, 120))],
  [said('user', long(1, 120)), said('assistant', 'yes'), said('user', long(2, 30))],
  [said('user', long(1, 120)), said('assistant', 'yes'), said('user', long(3, 30))],
  [said('user', `${long(1, 60)} and then`)],
  [said('user', long(4, 100))],
  [said('user', long(1, 120)), said('assistant', 'yes'), said('user', long(2, 30)), said('user', 'go on')],
  [said('user', long(1, 20))],
  [said('user', long(1, 20)), said('assistant', 'no')],
]

/** Returns the number of tokens that each request reused, and the log probability of its first token. */
async function answers(prefixCacheMb: number) {
  const { ask } = await startStarterEngine({ ...settings, prefixCacheMb }, {}, path)
  const results: { cachedTokens: number; promptTokens: number; logprob: number }[] = []
  for (const messages of histories) {
    const sampling = { temperature: 0, logitBias: noEnd }
    const { events, usage } = await ask({ messages, maxTokens: 24, sampling, topLogprobs: 1 }, 'acc_a')
    const [first] = events.flatMap((event) => (event.type === 'text-delta' ? (event.logprobs ?? []) : []))
    results.push({ ...usage, logprob: first?.logprob ?? Number.NaN })
  }
  return results
}

test('a conversation is answered alike with and without what earlier requests left', async () => {
  const fresh = await answers(0)
  const reused = await answers(64)
  expect(fresh.map(({ cachedTokens }) => cachedTokens)).toEqual(histories.map(() => 0))
  // Requests 1, 2 and 7 continue the cached text, or cut it back within the window. For 3, 5 and 6 the window has moved
  // on.
  const wasReused = reused.map(({ cachedTokens }) => cachedTokens > 0)
  expect(wasReused).toEqual([false, true, true, false, false, false, false, true])
  for (const [index, { logprob }] of reused.entries()) {
    // The places of a window lie in another order, which rounds sums otherwise: up to 0.012. Without its oldest token
    // alone the difference is 0.035.
    expect(Math.abs(logprob - (fresh[index]?.logprob ?? Number.NaN))).toBeLessThan(0.02)
  }
}, 60_000)

test('answers to one prompt that is longer than the cache of the window are computed side by side', async () => {
  const { ask, engine } = await startStarterEngine({ ...settings, parallel: 4 }, {}, path)
  const sampling = { temperature: 1, seed: 1, logitBias: noEnd }
  const { usage, events } = await ask({ text: long(1, 200), choices: 4, maxTokens: 60, sampling, topLogprobs: 1 })
  expect(usage.promptTokens).toBeGreaterThan(2 * 4 * windowTokens)
  expect(engine.stats().decodedPromptTokens).toBe(usage.promptTokens)
  expect(usage.completionTokens).toBe(4 * 60)
  // Measured costs decide how many requests share a step. They take turns, so none is far behind when the first one
  // ends.
  const firstEnd = events.findIndex(({ type }) => type === 'choice-finish')
  const tokens = [0, 0, 0, 0]
  for (const event of events.slice(0, firstEnd)) {
    if (event.type === 'text-delta') tokens[event.choice] = (tokens[event.choice] ?? 0) + (event.logprobs?.length ?? 0)
  }
  expect(Math.max(...tokens)).toBeGreaterThan(10)
  expect(Math.max(...tokens) - Math.min(...tokens)).toBeLessThan(10)
})

test('a sequence can be cut back exactly as far as the window is there', async () => {
  const addon = await openTestAddon()
  const model = await addon.loadModel(loadOptions(path, onCpu))
  const before = Array.from({ length: 650 }, (_, index) => (index * 31 + (index % 7) * 5) % 250)
  /** The most likely tokens after a sequence that goes on behind `from`. */
  const feed = async (context: NativeContext, tokens: readonly number[], from: number) => {
    const likely = new Map<number, number>()
    for (let at = from; at < tokens.length; at += settings.batchTokens) {
      const part = Int32Array.from(tokens.slice(at, at + settings.batchTokens))
      const sampler = new addon.Sampler(model, { ...greedySampler, topLogprobs: 20 })
      const result = await context.step({
        tokens: part,
        positions: part.map((_, index) => at + index),
        sequences: new Int32Array(part.length),
        outputs: [{ entry: part.length - 1, sampler }],
      })
      const [sample] = result.kind === 'ok' ? (result.samples[0] ?? []) : []
      likely.clear()
      for (const { token, logprob } of sample?.alternatives ?? []) likely.set(token, logprob)
    }
    return likely
  }
  const microBatchTokens = settings.batchTokens
  const options = { ...testContextOptions, ...settings, microBatchTokens, sequences: settings.parallel }
  const differenceAfterCut = async (toCut: (context: NativeContext) => number) => {
    const [used, fresh] = [new addon.Context(model, options), new addon.Context(model, options)]
    await feed(used, before, 0)
    const cut = toCut(used)
    used.removeSequence(0, cut, -1)
    const after = [...before.slice(0, cut), 3, 20]
    const expected = await feed(fresh, after, 0)
    const found = await feed(used, after, cut)
    await Promise.all([used.close(), fresh.close()])
    const best = [...expected].slice(0, 5)
    return Math.max(
      ...best.map(([token, logprob]) => Math.abs(logprob - (found.get(token) ?? Number.NEGATIVE_INFINITY))),
    )
  }
  expect(await differenceAfterCut((context) => context.minPosition(0) + windowTokens - 1)).toBeLessThan(0.02)
  expect(await differenceAfterCut((context) => context.minPosition(0) + windowTokens - 9)).toBeGreaterThan(0.05)
  model.close()
}, 60_000)
