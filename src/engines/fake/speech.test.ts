/** The fake engine's results for recordings and for texts to be spoken, in a real child. */
import { afterAll, expect, test } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { AudioFile, TranscribeRequest } from '../../core/speech.ts'
import { type Consumption, nothingConsumed } from '../../core/usage.ts'
import type { Work } from '../../core/work.ts'
import { testPool } from '../../testing/engine-pool.ts'
import { testManifest } from '../../testing/test-manifest.ts'
import { type EngineMeter, unlimited } from '../protocol/work-engines.ts'

const pool = testPool()
const folder = mkdtempSync(join(tmpdir(), 'inferd-fake-speech-'))
afterAll(async () => {
  await pool.stop()
  rmSync(folder, { recursive: true })
})

const model = { manifest: testManifest({ id: 'test/speech', type: 'stt' }), filePaths: {} }

/** A recording whose samples are these bytes. */
function recording(seconds: number, text = ''): AudioFile {
  const path = join(folder, `${crypto.randomUUID()}.pcm`)
  const bytes = Buffer.alloc(seconds * 32_000)
  bytes.write(text)
  writeFileSync(path, bytes)
  return { path, sampleCount: bytes.length / 2 }
}

interface Context {
  readonly meter?: EngineMeter
  readonly signal?: AbortSignal
}

function run(
  work: Work<'transcribe' | 'diarize' | 'speak'>,
  { meter = unlimited, signal = new AbortController().signal }: Context = {},
) {
  return pool.run(model, work, { accountId: 'acc_1', signal, meter })
}

function transcribe(request: Partial<TranscribeRequest> & Pick<TranscribeRequest, 'audio'>, context?: Context) {
  return run({ kind: 'transcribe', request: { wantsWords: false, ...request } }, context)
}

test('the words of the prompt are heard, evenly over the recording, and paid by its length', async () => {
  const events = await Array.fromAsync(transcribe({ audio: recording(3), prompt: 'one two three', wantsWords: true }))
  const words = ['one', 'two', 'three'].map((text, at) => ({ text, startSeconds: at, endSeconds: at + 1 }))
  expect(events).toEqual([
    { type: 'start', promptTokens: 0, cachedTokens: 0 },
    { type: 'segment', text: 'one two three', startSeconds: 0, endSeconds: 3, words },
    { type: 'language', language: 'en' },
    { type: 'finish', usage: { ...nothingConsumed, audioMs: 3000 } },
  ])
})

test('two speakers take turns, or as many as are hinted at', async () => {
  const audio = recording(6)
  const speakers = async (hint: object) => {
    const [, turns] = await Array.fromAsync(run({ kind: 'diarize', request: { audio, ...hint } }))
    if (turns?.type !== 'turns') throw new Error('no turns')
    return turns.turns.map(({ speaker, startSeconds, endSeconds }) => [speaker, startSeconds, endSeconds])
  }
  expect(await speakers({})).toEqual([
    [0, 0, 2.5],
    [1, 2.5, 5],
    [0, 5, 6],
  ])
  expect((await speakers({ minimumSpeakers: 3 })).map(([speaker]) => speaker)).toEqual([0, 1, 2])
  expect((await speakers({ maximumSpeakers: 1 })).map(([speaker]) => speaker)).toEqual([0, 0, 0])
})

test('a recording carries the scripts of both kinds of work', async () => {
  const turn = { speaker: 4, startSeconds: 0, endSeconds: 1 }
  const segment = { type: 'segment', text: 'as written', startSeconds: 0, endSeconds: 1 }
  const scripts = {
    transcribe: { script: [{ output: segment }] },
    diarize: { script: [{ output: { type: 'turns', turns: [turn] } }] },
  }
  const audio = recording(1, JSON.stringify(scripts))
  expect((await Array.fromAsync(transcribe({ audio })))[1]).toEqual(segment as never)
  expect((await Array.fromAsync(run({ kind: 'diarize', request: { audio } })))[1]).toEqual({
    type: 'turns',
    turns: [turn],
  })
})

const speak = (input: string) =>
  ({ kind: 'speak', request: { input, voice: 'alloy', speed: 1, format: 'pcm' } }) as const

test('each word becomes some sound, and each character is paid', async () => {
  const events = await Array.fromAsync(run(speak('Hi 👋🏽')))
  const sizes = events.flatMap((event) => (event.type === 'audio' ? [event.bytes.length] : []))
  expect(sizes).toEqual([640, 1280])
  expect(events.at(-1)).toMatchObject({ type: 'finish', usage: { characters: 5, audioMs: 0 } })
})

test('of speech that is cancelled the meter hears the share that was made', async () => {
  const aborting = new AbortController()
  const told: Consumption[] = []
  const meter: EngineMeter = { ...unlimited, cancelled: (usage) => told.push(usage) }
  const script = JSON.stringify({ script: [{ soundBytes: 100 }, { waitForCancel: true }, { soundBytes: 100 }] })
  const events = run(speak(script), { meter, signal: aborting.signal })
  await events.next()
  expect((await events.next()).value).toMatchObject({ type: 'audio' })
  aborting.abort(new Error('gone'))
  expect(await events.next().catch(String)).toBe('Error: gone')
  expect(told).toEqual([{ ...nothingConsumed, characters: Math.ceil(script.length / 2) }])
})

test('an answer that nobody reads is not made further', async () => {
  // Far more than is in transit when the engine is told to pause.
  const pieces = Array.from({ length: 400 }, () => ({ soundBytes: 100_000 }))
  const events = run(speak(JSON.stringify({ script: pieces })))
  await events.next()
  await events.next()
  let steps = -1
  for (let now = 0; now !== steps; now = (await pool.stats(model.manifest.id))?.steps ?? 0) steps = now
  const rest = await Array.fromAsync(events)
  expect(rest.filter(({ type }) => type === 'audio')).toHaveLength(399)
  expect(steps).toBeLessThan((await pool.stats(model.manifest.id))?.steps ?? 0)
})

test.each<[string, object]>([
  ['a crash', { crash: 'exit' }],
  ['an error', { error: { kind: 'engine', code: 'engine_failed', message: 'broken' } }],
])('%s in the midst of a recording is the engine’s failure', async (_, action) => {
  const prompt = JSON.stringify({ script: [{ delayMs: 0 }, action] })
  const thrown = await Array.fromAsync(transcribe({ audio: recording(1), prompt })).catch((error: unknown) => error)
  expect(thrown).toMatchObject({ kind: 'engine', code: 'engine_failed' })
})
