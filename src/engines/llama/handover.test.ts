/**
 * The starter model in two engines, one after the other with one memory file: the second goes on where the first ended.
 */
import { afterAll, expect, test } from 'bun:test'
import { fstatSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Content, type ImagePart, textContent } from '../../core/content.ts'
import { openMemoryFile } from '../../machine/memory-file.ts'
import { paint, toPng } from '../../testing/pictures.ts'
import { endBias, type Question, starterProjector, startStarterEngine } from '../../testing/starter-engine.ts'
import type { EngineSettings } from '../engine-table.ts'
import type { NotePart } from '../protocol/engine.ts'
import type { HandedPrefix } from './steps/handover.ts'

const folder = mkdtempSync(join(tmpdir(), 'inferd-handover-'))
afterAll(() => rmSync(folder, { recursive: true }))

/** About 670 tokens. */
const words = Array.from({ length: 200 }, (_, index) => `word${index}`).join(' ')
const limitBytes = 64e6

function openFile(): number {
  const file = openMemoryFile('inferd test')
  if (file === undefined) throw new Error('this system has no memory files')
  return file
}

/** Starts engines, one after the other. */
function engines({ projector, ...options }: Partial<EngineSettings> & { projector?: string } = {}) {
  const file = openFile()
  const settings = { contextTokens: 8192, ...options }
  const start = (parts: readonly NotePart[] = []) =>
    startStarterEngine(settings, {}, undefined, projector, { file, parts })
  return { file, start }
}

function question(...content: readonly (string | ImagePart)[]): Question {
  const parts = content.flatMap((part): Content => (typeof part === 'string' ? textContent(part) : [part]))
  return {
    messages: [{ role: 'user', content: parts }],
    maxTokens: 8,
    sampling: { temperature: 0, logitBias: endBias },
  }
}

test.each([
  ['one cache for all', {}],
  ['a part of the cache for each', { requestTokens: 2048 }],
  ['a cache of another number format', { kvType: 'q8_0' }],
] as const)(
  'an answer is the same with a prompt from an earlier process: %s',
  async (_, options) => {
    const { file, start } = engines(options)
    const first = await start()
    const answer = await first.ask(question(words), 'acc_a')
    const handed = first.engine.leaveNote?.(limitBytes) ?? []
    expect(handed).toMatchObject([{ label: { owner: 'acc_a' } }])
    const second = await start(handed)
    expect(fstatSync(file).size).toBe(0)
    const again = await second.ask(question(words), 'acc_a')
    expect(again.texts).toEqual(answer.texts)
    expect(again.usage).toEqual({ ...answer.usage, cachedTokens: answer.usage.promptTokens - 1 })
    expect((await second.ask(question(words), 'acc_b')).usage.cachedTokens).toBe(0)
  },
  30_000,
)

test('pictures of a prompt from an earlier process are not encoded again', async () => {
  const bytes = toPng(paint(64, 64, (x) => (x < 32 ? [255, 0, 0] : [0, 0, 255])))
  const path = join(folder, 'picture')
  writeFileSync(path, bytes)
  const hash = new Bun.CryptoHasher('sha256').update(bytes).digest('hex')
  const looks = { detail: 'auto', width: 64, height: 64, orientation: 1, param: 'picture' } as const
  const picture: ImagePart = { type: 'image', hash, path, ...looks }
  const { start } = engines({ projector: starterProjector })
  const first = await start()
  const answer = await first.ask(question(words, picture, 'What is this?'), 'acc_a')
  const second = await start(first.engine.leaveNote?.(limitBytes) ?? [])
  const again = await second.ask(question(words, picture, 'What is this?'), 'acc_a')
  expect(again.texts).toEqual(answer.texts)
  expect(again.usage.cachedTokens).toBe(answer.usage.promptTokens - 1)
  expect(second.engine.stats().encodedPictures).toBe(0)
}, 60_000)

test('the latest used comes first, and what has no room is left out', async () => {
  const { start } = engines()
  const { ask, engine } = await start()
  for (const account of ['acc_a', 'acc_b', 'acc_c']) await ask(question(words), account)
  await ask(question(words), 'acc_a')
  const all = sizesFrom(engine.leaveNote?.(limitBytes) ?? [])
  expect(all.owners).toEqual(['acc_a', 'acc_c', 'acc_b'])
  const again = await start()
  for (const account of ['acc_a', 'acc_b', 'acc_c']) await again.ask(question(words), account)
  expect(sizesFrom(again.engine.leaveNote?.(all.bytes - 1) ?? []).owners).toEqual(['acc_c', 'acc_b'])
}, 60_000)

test('while it computes, nothing is left', async () => {
  const { file, start } = engines()
  const { ask, send, cancel, engine } = await start()
  await ask(question(words), 'acc_a')
  const begun = Promise.withResolvers<void>()
  const { id, ended } = send({ ...question('Hello!'), maxTokens: 1000 }, 'acc_b', () => begun.resolve())
  await begun.promise
  expect(engine.leaveNote?.(limitBytes)).toEqual([])
  expect(fstatSync(file).size).toBe(0)
  cancel(id)
  await ended
}, 60_000)

function sizesFrom(handed: readonly NotePart[]) {
  return {
    owners: handed.map(({ label }) => (label as HandedPrefix['label']).owner),
    bytes: handed.reduce((sum, { bytes }) => sum + bytes, 0),
  }
}
