/** The engine with a model that has a draft head: answers are the same. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ChatMessage } from '../../core/chat.ts'
import { textContent } from '../../core/content.ts'
import type { InstalledModel } from '../../core/model.ts'
import { testEngineSettings } from '../../testing/engine-settings.ts'
import { countingModel } from '../../testing/gguf/counting-model.ts'
import { writeModel } from '../../testing/gguf/model-file.ts'
import { tinyGguf } from '../../testing/gguf/tiny-gguf.ts'
import { openTestAddon } from '../../testing/native-options.ts'
import { type Question, startStarterEngine } from '../../testing/starter-engine.ts'
import { testManifest } from '../../testing/test-manifest.ts'
import { loadModelWithHead } from './draft-head.ts'
import { onCpu } from './placement.ts'

const folder = mkdtempSync(join(tmpdir(), 'inferd-head-'))
const architectures = ['deepseek2', 'qwen35'] as const
const pathOf = (name: string) => join(folder, `${name}.gguf`)

beforeAll(async () => {
  for (const architecture of architectures) {
    const isWrongBehind = (token: number) => token % 7 === 0
    const options = { architecture, head: 'token', isContextual: true, isWrongBehind } as const
    await writeModel(countingModel(options), pathOf(architecture))
    await writeModel(countingModel({ ...options, part: 'head' }), pathOf(`${architecture}-head`))
    await writeModel(countingModel({ ...options, head: 'none' }), pathOf(`${architecture}-trunk`))
  }
  await Bun.write(pathOf('tiny'), tinyGguf())
})
afterAll(() => rmSync(folder, { recursive: true }))

/** Questions that are asked one by one, then all at once; some share a prompt, end early, or are cut to fit. */
const questions: readonly Question[] = [
  { text: 'Count!', maxTokens: 90 },
  { text: 'Count!', maxTokens: 7 },
  { text: 'Count from here: 5', maxTokens: 60, choices: 2 },
  { text: 'Up to a stop', maxTokens: 80, stop: ['qrs'] },
  { text: `Something long ${'and longer '.repeat(60)}`, maxTokens: 40, topLogprobs: 0 },
  { text: 'Random', maxTokens: 50, sampling: { temperature: 1, seed: 7 } },
]

const said = (role: 'user' | 'assistant', text: string): ChatMessage => ({ role, content: textContent(text) })

async function answers(architecture: string, speculative: 'off' | 'mtp', requestTokens: number) {
  const settings = { parallel: 4, contextTokens: 8192, requestTokens, batchTokens: 64, speculative }
  const { ask, engine } = await startStarterEngine(settings, {}, pathOf(architecture))
  const [first = {}] = questions
  const replies = [await ask(first, 'acc_a')]
  replies.push(...(await Promise.all(questions.map((question) => ask(question, 'acc_a')))))
  const { draftedTokens = 0, acceptedTokens = 0 } = engine.stats()
  return {
    replies: replies.map(({ texts, finish, usage }) => ({ texts, finish, usage })),
    draftedTokens,
    acceptedTokens,
  }
}

const kinds = architectures.flatMap((architecture) =>
  [0, 2048].map((requestTokens) => ({ architecture, requestTokens })),
)

test.each(kinds)(
  'answers of a $architecture are the same with and without its head, requests of $requestTokens tokens',
  async (kind) => {
    const { architecture, requestTokens } = kind
    const without = await answers(architecture, 'off', requestTokens)
    const { replies, acceptedTokens } = await answers(architecture, 'mtp', requestTokens)
    expect(replies).toEqual(without.replies)
    expect(without.draftedTokens).toBe(0)
    // The number depends on the measured costs of steps; a few are always tried.
    expect(acceptedTokens).toBeGreaterThan(0)
  },
)

test.each(architectures)('wrong proposals cost a %s nothing of what it has computed', async (architecture) => {
  const turns = async (speculative: 'off' | 'mtp') => {
    const { ask, engine } = await startStarterEngine({ batchTokens: 64, speculative }, {}, pathOf(architecture))
    const asked = said('user', 'A long question. '.repeat(40))
    const { texts } = await ask({ messages: [asked], maxTokens: 60 }, 'acc_a')
    const { steps } = engine.stats()
    const messages = [asked, said('assistant', texts[0] ?? ''), said('user', 'And then?')]
    const { usage } = await ask({ messages, maxTokens: 4 }, 'acc_a')
    return { steps, cachedTokens: usage.cachedTokens }
  }
  const without = await turns('off')
  const { steps, cachedTokens } = await turns('mtp')
  expect(steps).toBeLessThan(without.steps)
  expect(cachedTokens).toBeGreaterThan(600)
  expect(cachedTokens).toBe(without.cachedTokens)
})

describe('the head', () => {
  const load = async (model: string, speculative: 'auto' | 'mtp' | 'off', mtp?: string) => {
    const addon = await openTestAddon()
    const filePaths = { model: pathOf(model), ...(mtp !== undefined && { mtp: pathOf(mtp) }) }
    const installed: InstalledModel = { manifest: testManifest({ id: 'test/head', engine: 'llama' }), filePaths }
    const settings = { ...testEngineSettings, speculative }
    const loaded = await loadModelWithHead(addon, { installed, settings, placement: onCpu })
    const { draftHead } = loaded.head
    const found = draftHead === undefined ? 'none' : draftHead === loaded.model ? 'own' : 'other'
    loaded.close()
    return loaded.isHeadLeftOut ? 'left out' : found
  }

  test('in the file of the model is loaded where the operator asks for it', async () => {
    expect(await load('qwen35', 'auto')).toBe('none')
    expect(await load('qwen35', 'off')).toBe('none')
    expect(await load('qwen35', 'mtp')).toBe('own')
    expect(await load('qwen35-trunk', 'mtp')).toBe('none')
  })

  test('in a file of its own is loaded unless the operator forbids it', async () => {
    expect(await load('qwen35-trunk', 'auto', 'qwen35-head')).toBe('other')
    expect(await load('qwen35-trunk', 'mtp', 'qwen35-head')).toBe('other')
    expect(await load('qwen35-trunk', 'off', 'qwen35-head')).toBe('none')
  })

  test('is left out where the file holds none', async () => {
    expect(await load('qwen35-trunk', 'auto', 'tiny')).toBe('left out')
  })
})
