/** The real engine with the starter models, in a real child. */

import { afterAll, expect, test } from 'bun:test'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { InstalledModel } from '../../core/model.ts'
import type { DiarizeRequest, SpeakerHint, SpeakerTurn } from '../../core/speech.ts'
import { nothingConsumed } from '../../core/usage.ts'
import { testPool } from '../../testing/engine-pool.ts'
import { testEngineSettings } from '../../testing/engine-settings.ts'
import { highVoice, lowVoice, type SyntheticTurn, syntheticDialogue } from '../../testing/synthetic-voices.ts'
import { testManifest } from '../../testing/test-manifest.ts'
import { testedProgram } from '../../testing/tested-program.ts'
import { engineSpawn } from '../host/spawn-engine.ts'
import { unlimited } from '../protocol/work-engines.ts'
import { runtimePaths } from '../runtime/runtime-paths.ts'

const root = join(import.meta.dir, '..', '..', '..')
const starter = join(root, 'models', 'starter')
const folder = mkdtempSync(join(tmpdir(), 'inferd-diarization-'))
const lines: string[] = []
const pool = testPool({
  spawn: engineSpawn({ command: testedProgram, environment: {} }),
  settings: { ...testEngineSettings, threads: 2 },
  runtime: async () => runtimePaths(''),
  log: ({ message }) => lines.push(message),
})

afterAll(async () => {
  await pool.stop()
  rmSync(folder, { recursive: true })
})

function diarizer(id: string, files: Readonly<Record<string, string>> = {}): InstalledModel {
  const manifest = testManifest({ id, type: 'stt', engine: 'diarization' })
  const filePaths = {
    segmentation: join(starter, 'starter-segmentation.onnx'),
    'speaker-embedding': join(starter, 'starter-speaker-embedding.onnx'),
    ...files,
  }
  return { manifest, filePaths }
}

const model = diarizer('test/diarizer')
const two = { minimumSpeakers: 2, maximumSpeakers: 2 }

/** Two voices in turn. */
const dialogue = syntheticDialogue([
  [lowVoice, 3],
  [highVoice, 4],
  [lowVoice, 2.5],
  [highVoice, 3],
  [lowVoice, 4],
  [highVoice, 2],
])

function recording(name: string, samples: Int16Array): DiarizeRequest['audio'] {
  const path = join(folder, name)
  writeFileSync(path, samples)
  return { path, sampleCount: samples.length }
}

async function turnsOf(
  audio: DiarizeRequest['audio'],
  hint: SpeakerHint = {},
  { of = model, accountId = 'acc_test' } = {},
): Promise<readonly SpeakerTurn[]> {
  const { signal } = new AbortController()
  const events = await Array.fromAsync(
    pool.run(of, { kind: 'diarize', request: { audio, ...hint } }, { accountId, signal, meter: unlimited }),
  )
  expect(events.map(({ type }) => type)).toEqual(['start', 'turns', 'finish'])
  expect(events.at(-1)).toEqual({ type: 'finish', usage: nothingConsumed })
  return events.flatMap((event) => (event.type === 'turns' ? event.turns : []))
}

/** Returns the share of the turns' time that has the right speaker. */
function rightShare(found: readonly SpeakerTurn[], turns: readonly SyntheticTurn[]): number {
  const numbers = [lowVoice, highVoice]
  let [right, all] = [0, 0]
  for (const { voice, startSeconds, endSeconds } of turns) {
    all += endSeconds - startSeconds
    for (const turn of found.filter(({ speaker }) => numbers[speaker] === voice)) {
      right += Math.max(0, Math.min(endSeconds, turn.endSeconds) - Math.max(startSeconds, turn.startSeconds))
    }
  }
  return right / all
}

test('two voices that take turns are told apart', async () => {
  const audio = recording('dialogue.pcm', dialogue.samples)
  const turns = await turnsOf(audio, two)
  expect(rightShare(turns, dialogue.turns)).toBeGreaterThan(0.85)
  for (const [index, turn] of turns.entries()) {
    expect(turn.endSeconds).toBeGreaterThan(turn.startSeconds)
    expect(turn.startSeconds).toBeGreaterThanOrEqual(turns[index - 1]?.endSeconds ?? 0)
    expect(turn.endSeconds).toBeLessThanOrEqual(dialogue.samples.length / 16_000)
  }
  expect(turns[0]?.speaker).toBe(0)
  expect(pool.status()[0]?.info).toMatchObject({ device: 'cpu', threads: 2, provider: 'CPUExecutionProvider' })
})

test('the same recording has the same turns, alone and beside others', async () => {
  const audio = recording('again.pcm', dialogue.samples)
  const all = await Promise.all(['a', 'b', 'a'].map((accountId) => turnsOf(audio, two, { accountId })))
  expect(all[1]).toEqual(all[0])
  expect(all[2]).toEqual(all[0])
})

test('one speaker, where no more are allowed', async () => {
  const turns = await turnsOf(recording('one.pcm', dialogue.samples), { maximumSpeakers: 1 })
  expect(turns.length).toBeGreaterThan(2)
  expect(new Set(turns.map(({ speaker }) => speaker))).toEqual(new Set([0]))
})

test.each([
  ['no sample', 0],
  ['one sample', 1],
  ['half a second of silence', 8000],
  ['a minute of silence', 960_000],
])('%s has no turns', async (_, sampleCount) => {
  expect(await turnsOf(recording('silence.pcm', new Int16Array(sampleCount)))).toEqual([])
  expect(await turnsOf(recording('silence.pcm', new Int16Array(sampleCount)), two)).toEqual([])
})

test('a recording shorter than a window is heard', async () => {
  const { samples, turns } = syntheticDialogue([
    [lowVoice, 3],
    [highVoice, 3],
  ])
  expect(rightShare(await turnsOf(recording('short.pcm', samples), two), turns)).toBeGreaterThan(0.5)
})

test('a recording that is not there, or is cut, ends its own request alone', async () => {
  const missing = turnsOf({ path: join(folder, 'missing.pcm'), sampleCount: 100 })
  await expect(missing).rejects.toMatchObject({ kind: 'engine', code: 'engine_failed' })
  const { path } = recording('cut.pcm', dialogue.samples.subarray(0, 20_000))
  const cut = turnsOf({ path, sampleCount: 40_000 })
  await expect(cut).rejects.toMatchObject({ kind: 'engine', code: 'engine_failed' })
  expect(lines.join('\n')).toContain('the recording ends before its last sample')
  expect((await turnsOf(recording('after.pcm', dialogue.samples), two)).length).toBeGreaterThan(3)
})

test('who disconnects stops the work on a long recording', async () => {
  const audio = recording('long.pcm', new Int16Array(16_000 * 3600))
  const abort = new AbortController()
  const events = pool.run(
    model,
    { kind: 'diarize', request: { audio } },
    { accountId: 'acc_test', signal: abort.signal, meter: unlimited },
  )
  await expect(
    (async () => {
      for await (const { type } of events) if (type === 'start') abort.abort()
    })(),
  ).rejects.toThrow()
  // Reached in time only if the cancelled hour is not computed to its end.
  expect((await turnsOf(recording('next.pcm', dialogue.samples), two)).length).toBeGreaterThan(3)
})

test.each([
  ['no model', 'segmentation', 'starter-tts-tokens.txt', 'its segmentation model'],
  ['another model', 'segmentation', 'starter-speaker-embedding.onnx', 'its segmentation model'],
  ['a model of texts', 'speaker-embedding', 'starter-embed.onnx', 'one of single-precision numbers is known here'],
  ['a missing file', 'speaker-embedding', 'nothing.onnx', 'is not there: pull or import the model again'],
])('a file that is %s fails the load, and the reason names it', async (_, role, file, reason) => {
  const broken = diarizer(`test/broken-${role}-${file}`, { [role]: join(starter, file) })
  const audio = recording('broken.pcm', new Int16Array(16_000))
  await expect(turnsOf(audio, {}, { of: broken })).rejects.toMatchObject({ code: 'model_unavailable' })
  const status = pool.status().find(({ modelId }) => modelId === broken.manifest.id)
  expect(status?.failedLoad).toContain(reason)
})

/** Real recordings and a real model, which are not part of the product. */
const data = join(root, '..', 'shared', 'data')

test('a real segmentation model, which says nothing of itself, hears a real conversation', async () => {
  if (!existsSync(data)) return
  const segmentation = join(data, 'segmentation', 'segmentation-3.0-fp16.onnx')
  const wav = readFileSync(join(data, 'audio', 'pyannote-sample', 'sample.wav'))
  const path = join(folder, 'real.pcm')
  writeFileSync(path, wav.subarray(44))
  const audio = { path, sampleCount: (wav.length - 44) / 2 }
  const turns = await turnsOf(audio, two, { of: diarizer('test/real', { segmentation }) })
  const spoken = turns.reduce((sum, { startSeconds, endSeconds }) => sum + endSeconds - startSeconds, 0)
  expect(spoken).toBeGreaterThan(15)
  expect(turns[0]?.startSeconds).toBeCloseTo(6.7, 0)
})
