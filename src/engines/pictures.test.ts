/** Pictures on their way to an engine, and engines that die of them, in real children. */
import { afterEach, expect, test } from 'bun:test'
import { createHash } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ChatEvent } from '../core/chat.ts'
import type { Content, ImagePart } from '../core/content.ts'
import { ApiError } from '../core/errors.ts'
import { chatRequest } from '../testing/chat-request.ts'
import { testPool } from '../testing/engine-pool.ts'
import { impatientClock } from '../testing/impatient-clock.ts'
import { testManifest } from '../testing/test-manifest.ts'
import type { FakeScript } from './fake/script.ts'
import { DeadlyParts } from './host/deadly-parts.ts'
import type { EnginePool } from './pool.ts'
import { unlimited } from './protocol/work-engines.ts'

const folder = mkdtempSync(join(tmpdir(), 'inferd-pictures-'))
const pools: EnginePool[] = []
afterEach(async () => {
  await Promise.all(pools.splice(0).map((pool) => pool.stop()))
  rmSync(folder, { recursive: true, force: true })
})

function fakePool() {
  const lines: string[] = []
  const heard = new Map<string, () => void>()
  const pool = testPool({
    clock: impatientClock(),
    log: ({ message }) => {
      lines.push(message)
      heard.get(message)?.()
    },
  })
  pools.push(pool)
  const line = (message: string) => new Promise<void>((resolve) => heard.set(message, resolve))
  return { pool, lines, line }
}

const model = { manifest: testManifest({ type: 'vision' }), filePaths: {} }

function picture(name: string, more: Partial<ImagePart> = {}): ImagePart {
  const path = join(mkdtempSync(`${folder}-`), name)
  writeFileSync(path, name)
  const hash = createHash('sha256').update(name).digest('hex')
  return {
    type: 'image',
    hash,
    path,
    detail: 'auto',
    width: 6,
    height: 4,
    orientation: 1,
    param: `at.${name}`,
    ...more,
  }
}

function run(pool: EnginePool, ...content: Content): AsyncGenerator<ChatEvent> {
  return runUntil(new AbortController().signal, pool, ...content)
}

function runUntil(signal: AbortSignal, pool: EnginePool, ...content: Content): AsyncGenerator<ChatEvent> {
  const request = chatRequest({ messages: [{ role: 'user', content }] })
  return pool.run(model, { kind: 'chat', request }, { accountId: 'acc_1', signal, meter: unlimited })
}

async function answer(events: AsyncIterable<ChatEvent>): Promise<string> {
  let text = ''
  for await (const event of events) if (event.type === 'text-delta') text += event.text
  return text
}

async function failure(events: AsyncIterable<ChatEvent>): Promise<ApiError> {
  const error = await answer(events).catch((thrown: unknown) => thrown)
  if (!(error instanceof ApiError)) throw new Error(`expected an ApiError, got ${String(error)}`)
  return error
}

const text = (words: string) => ({ type: 'text', text: words }) as const
const encoding = (...actions: NonNullable<FakeScript['encoding']>) =>
  text(JSON.stringify({ script: [], encoding: actions }))

test('the fake engine says which pictures it was given, where, how large and how they stand', async () => {
  const { pool } = fakePool()
  const [first, second] = [picture('a'), picture('b', { orientation: 6 })]
  expect(await answer(run(pool, text('one '), first, text(' two '), second))).toBe(
    `one [image 6x4 ${first.hash}] two [image 4x6 ${second.hash}]`,
  )
})

test('a script hears of the pictures of all messages', async () => {
  const { pool } = fakePool()
  const [seen, shown] = [picture('seen'), picture('shown')]
  const messages = [
    { role: 'tool', content: [shown] },
    { role: 'user', content: [text('{"script":[{"describePictures":true}]}'), seen] },
  ] as const
  const context = { accountId: 'acc_1', signal: new AbortController().signal, meter: unlimited }
  const events = pool.run(model, { kind: 'chat', request: chatRequest({ messages }) }, context)
  expect(await answer(events)).toBe(`[image 6x4 ${shown.hash}] [image 6x4 ${seen.hash}]`)
})

test('a picture is a part of the prompt, and is paid as such', async () => {
  const { pool } = fakePool()
  const events = await Array.fromAsync(run(pool, text('what is this?'), picture('a')))
  expect(events[0]).toEqual({ type: 'start', promptTokens: 69, cachedTokens: 0 })
})

test('a picture without its file, or with another one, is an error that names its place', async () => {
  const { pool } = fakePool()
  for (const change of [{ path: join(folder, 'nothing') }, { hash: '0'.repeat(64) }]) {
    const { kind, code, param } = await failure(run(pool, picture('a', change)))
    expect([kind, code, param]).toEqual(['invalid_request', 'invalid_image', 'at.a'])
  }
})

test('an undecodable picture is an error of its request alone', async () => {
  const { pool } = fakePool()
  const undecodable = {
    kind: 'invalid_request',
    code: 'invalid_image',
    message: 'It cannot be decoded.',
    param: 'at.a',
  } as const
  const error = await failure(run(pool, picture('a'), encoding({ error: undecodable })))
  expect([error.code, error.param]).toEqual(['invalid_image', 'at.a'])
  expect(pool.status()).toMatchObject([{ state: 'ready', restarts: 0 }])
})

test('a client that leaves while its picture is encoded frees the engine', async () => {
  const { pool, line } = fakePool()
  const abort = new AbortController()
  const left = answer(
    runUntil(abort.signal, pool, picture('a'), encoding({ log: 'encoding' }, { waitForCancel: true })),
  ).catch(String)
  await line('encoding')
  abort.abort(new Error('the client left'))
  expect(await left).toContain('the client left')
  expect((await pool.stats('test/fake'))?.running).toBe(0)
})

test('a picture that killed the engine twice is refused, and others are not', async () => {
  const { pool, lines } = fakePool()
  const [deadly, harmless] = [picture('deadly'), picture('harmless')]
  const error = await failure(run(pool, deadly, encoding({ crash: 'abort' })))
  expect([error.kind, error.code]).toEqual(['engine', 'engine_failed'])
  expect(error.message).toContain('Nothing was charged; leave out every picture, or change it,')
  expect(pool.status()[0]?.lastExit).toStartWith('signal SIGABRT while it encoded a picture')
  const refused = await failure(run(pool, text('look: '), harmless, deadly))
  expect([refused.kind, refused.code, refused.param]).toEqual(['invalid_request', 'invalid_image', 'at.deadly'])
  expect(await answer(run(pool, harmless))).toContain(harmless.hash)
  expect(pool.status()[0]).toMatchObject({ state: 'ready', restarts: 2 })
  expect(lines.join('\n')).not.toContain(deadly.hash)
})

test('requests beside a deadly picture fail like in any crash, and their pictures stay welcome', async () => {
  const { pool } = fakePool()
  const [deadly, harmless] = [picture('deadly'), picture('harmless')]
  const beside = run(pool, harmless, text(JSON.stringify({ script: [{ text: 'a' }, { waitForCancel: true }] })))
  await beside.next()
  await beside.next()
  await failure(run(pool, deadly, encoding({ crash: 'abort' })))
  expect((await failure(beside)).message).toContain('stopped working. Nothing was charged')
  expect(await answer(run(pool, harmless))).toContain(harmless.hash)
})

test('a picture that is encoded whenever engines are killed stays welcome', async () => {
  const { pool } = fakePool()
  const harmless = picture('harmless')
  for (let round = 0; round < 3; round++) {
    const once = `${harmless.path}-${round}`
    expect(await answer(run(pool, encoding({ crash: 'kill', once }), harmless))).toBe('')
  }
})

test('pictures that an engine died over together are suspects, until one of them is known to be deadly', () => {
  const pictures = new DeadlyParts()
  pictures.note(['deadly', 'beside'])
  expect([pictures.suspects(), pictures.list()]).toEqual([['deadly', 'beside'], []])
  pictures.note(['deadly'])
  expect(pictures.list()).toEqual(['deadly'])
})

test('of a great many pictures the latest are remembered', () => {
  const pictures = new DeadlyParts()
  const hashes = Array.from({ length: 1001 }, (_, index) => `picture ${index}`)
  for (const hash of hashes) pictures.note([hash])
  pictures.note(['picture 0'])
  pictures.note(['picture 1000'])
  expect(pictures.list()).toEqual(['picture 1000'])
})
