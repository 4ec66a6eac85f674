/**
 * The starter model on the CPU, with the KV cache layouts of a GPU: requests that outgrow their part are answered all
 * the same.
 */
import { expect, test } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type ImagePart, textContent } from '../../core/content.ts'
import { paint, toPng } from '../../testing/pictures.ts'
import { endBias, type Question, starterProjector, startStarterEngine } from '../../testing/starter-engine.ts'
import type { EngineSettings } from '../engine-table.ts'
import type { LoadEngine } from '../protocol/engine.ts'
import { possibleLayouts } from './cache/choose-layout.ts'
import { type LlamaKind, loadWith } from './engine.ts'
import type { LlamaSettings } from './settings.ts'

const asOnGpu: LoadEngine<LlamaKind, LlamaSettings> = (setup) =>
  loadWith(setup, (cache) => possibleLayouts({ ...cache, isOnGpu: true }))

/** Starts an engine with room for four caches of 512 tokens, two of 1,024, or one of 2,048. */
function start(options: Partial<EngineSettings> = {}, projector?: string) {
  const settings = { parallel: 4, contextTokens: 2048, batchTokens: 64, ...options }
  return startStarterEngine(settings, {}, undefined, projector, undefined, asOnGpu)
}

type Started = Awaited<ReturnType<typeof start>>

function layout({ engine }: Started): string {
  const { isUnified, sequences, tokensEach, reason } = engine.stats().cacheLayout ?? {}
  return `${isUnified ? 1 : sequences} x ${tokensEach}, ${reason}`
}

/** Sends a question. `begun` resolves at the answer's `pieces`-th piece of text. */
function begin({ send }: Started, question: Question, account: string, pieces = 1) {
  const begun = Promise.withResolvers<void>()
  let left = pieces
  const { id, ended } = send(question, account, ({ type }) => {
    if (type === 'text-delta' && --left === 0) begun.resolve()
  })
  const reply = async () => {
    const end = await ended
    if (!('events' in end)) throw new Error(`no answer: ${JSON.stringify(end)}`)
    return end
  }
  return { id, begun: begun.promise, ended, reply }
}

/** Returns words of three to four tokens each. */
function words(count: number): string {
  return Array.from({ length: count }, (_, index) => `cat${index}`).join(' ')
}

const sampling = { temperature: 0, logitBias: endBias }
const short: Question = { text: 'Tell a story of a cat.', maxTokens: 60, sampling }
const long: Question = { text: words(200), maxTokens: 20, sampling }

test('short requests have a cache each', async () => {
  const started = await start()
  expect(layout(started)).toBe('4 x 512, fastest')
  await started.ask(short)
  expect(layout(started)).toBe('4 x 512, fastest')
})

test('past requests tell what the first ones need', async () => {
  const settings = { parallel: 4, contextTokens: 2048 }
  const started = await startStarterEngine(settings, {}, undefined, undefined, undefined, asOnGpu, [300, 700, 200])
  expect(started.engine.info.cacheLayout).toMatchObject({ isUnified: true, tokensEach: 2048, reason: 'long-requests' })
})

test('a prompt that is longer than its part is answered, and so are those beside it', async () => {
  const alone = await start()
  const expected = { short: (await alone.ask(short)).texts, long: (await alone.ask(long)).texts }
  const started = await start()
  const first = begin(started, short, 'a', 10)
  await first.begun
  const beside = await started.ask(long, 'b')
  expect(beside.usage.promptTokens).toBeGreaterThan(512)
  expect(layout(started)).toBe('2 x 1024, long-requests')
  expect(beside.texts).toEqual(expected.long)
  expect((await first.reply()).texts).toEqual(expected.short)
  const stats = started.engine.stats()
  const usages = [beside.usage, (await first.reply()).usage]
  expect(stats.decodedPromptTokens).toBe(usages.reduce((sum, { promptTokens }) => sum + promptTokens, 0))
  expect(stats.generatedTokens).toBe(usages.reduce((sum, { completionTokens }) => sum + completionTokens, 0))
})

test('an answer grows through every layout to the end of the context', async () => {
  const started = await start()
  const reply = await started.ask({ ...short, maxTokens: 5000, repetitionLimit: 'none' })
  expect(reply.finish).toEqual(['length'])
  expect(reply.usage.promptTokens + reply.usage.completionTokens).toBe(2048)
  expect(layout(started)).toBe('1 x 2048, long-requests')
}, 60_000)

test('prompts that were computed in one layout are continued in another', async () => {
  const started = await start()
  const earlier: Question = { text: words(100), maxTokens: 8, sampling }
  const first = await started.ask(earlier, 'a')
  await started.ask(long, 'b')
  expect(layout(started)).toBe('2 x 1024, long-requests')
  const again = await started.ask(earlier, 'a')
  expect(again.usage.cachedTokens).toBe(first.usage.promptTokens - 1)
  expect(again.texts).toEqual(first.texts)
})

test('without memory for earlier prompts all is computed again', async () => {
  const started = await start({ prefixCacheMb: 0 })
  const first = begin(started, short, 'a', 10)
  await first.begun
  const beside = await started.ask(long, 'b')
  expect((await first.reply()).usage.completionTokens).toBe(60)
  expect(beside.usage.completionTokens).toBe(20)
})

test('choices of one request go on together', async () => {
  const started = await start()
  const first = begin(started, { ...short, choices: 4 }, 'a', 20)
  await first.begun
  await started.ask(long, 'b')
  const { texts, finish } = await first.reply()
  expect(finish).toEqual(['length', 'length', 'length', 'length'])
  expect(new Set(texts).size).toBe(1)
})

test('a request can be cancelled as the layout changes, and pictures are seen again', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'inferd-cache-change-'))
  const bytes = toPng(paint(64, 64, (x) => (x < 32 ? [255, 0, 0] : [0, 0, 255])))
  const path = join(folder, 'picture')
  writeFileSync(path, bytes)
  const hash = new Bun.CryptoHasher('sha256').update(bytes).digest('hex')
  const looks = { detail: 'auto', width: 64, height: 64, orientation: 1, param: 'picture' } as const
  const picture: ImagePart = { type: 'image', hash, path, ...looks }
  const seeing: Question = {
    ...{ maxTokens: 40, sampling },
    messages: [{ role: 'user', content: [picture, ...textContent('What is this?')] }],
  }
  const started = await start({}, starterProjector)
  const expected = await started.ask(seeing, 'a')
  const again = begin(started, seeing, 'c', 10)
  await again.begun
  const cancelled = begin(started, long, 'b')
  const stays = begin(started, long, 'd')
  started.cancel(cancelled.id)
  await cancelled.ended
  expect((await stays.reply()).usage.completionTokens).toBe(20)
  expect((await again.reply()).texts).toEqual(expected.texts)
  expect(started.engine.stats()).toMatchObject({ running: 0, waiting: 0 })
  rmSync(folder, { recursive: true })
}, 30_000)

test('the word of the operator stays, and on a CPU it is one cache', async () => {
  const each = await start({ requestTokens: 512 })
  await each.ask(short)
  expect(layout(each)).toBe('4 x 512, request-tokens')
  expect(await each.refused(long)).toMatchObject({ code: 'context_length_exceeded' })
  const one = await start({ requestTokens: 2048 })
  await one.ask(long)
  expect(layout(one)).toBe('1 x 2048, request-tokens')
  const onCpu = await startStarterEngine({ parallel: 4, contextTokens: 2048 })
  expect(onCpu.engine.stats().cacheLayout).toMatchObject({ isUnified: true, sequences: 4, reason: 'cpu' })
})
