/** Engines of every kind account for the time of their steps, on the starter models. */
import { afterAll, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type StepTimes, stepPhases, stepShares } from '../core/step-times.ts'
import { spokenSamples, writeRecording } from '../testing/spoken.ts'
import { startStarterEngine } from '../testing/starter-engine.ts'
import { starterSpeechModel, startSpeechEngines } from '../testing/starter-speech.ts'
import { starterTextModel, startTextModels } from '../testing/starter-text-models.ts'
import { starterTranscriber, startTranscribers } from '../testing/starter-transcriber.ts'
import { unlimited } from './protocol/work-engines.ts'

const folder = mkdtempSync(join(tmpdir(), 'inferd-steps-'))
afterAll(() => rmSync(folder, { recursive: true }))

/** Returns the sum of the phases that do not overlap with others. */
function pathMs(times: StepTimes): number {
  const onPath = stepPhases.filter((phase) => phase !== 'queue' && phase !== 'emit')
  return onPath.reduce((sum, phase) => sum + (times[phase]?.sumMs ?? 0), 0)
}

test('a decoder times each step by phase, and no moment twice', async () => {
  const { engine, ask } = await startStarterEngine()
  const before = engine.stats()
  const sinceMs = performance.now()
  await Promise.all([1, 2, 3].map((seed) => ask({ text: 'Tell me a story.', maxTokens: 30, sampling: { seed } })))
  const tookMs = performance.now() - sinceMs
  const { stepTimes = {}, steps } = engine.stats()
  expect(before.stepTimes).toEqual({})
  expect(Object.keys(stepTimes).toSorted()).toEqual([...stepPhases].toSorted())
  expect(stepTimes.queue?.count).toBe(3)
  for (const phase of ['plan', 'build', 'submit', 'device', 'copy', 'sample', 'wake', 'accept'] as const) {
    expect(stepTimes[phase]?.count).toBe(steps)
  }
  // The CPU computes while work is submitted: this time counts as `device`.
  expect(stepTimes.submit?.sumMs).toBe(0)
  expect(stepTimes.device?.sumMs).toBeGreaterThan(0)
  expect(stepTimes.sample?.sumMs).toBeGreaterThan(0)
  expect(pathMs(stepTimes)).toBeLessThan(tookMs)
})

test('a request that is cancelled before its first step does not count as one that waited', async () => {
  const { engine, send, cancel } = await startStarterEngine({}, { onPrepared: (id) => cancel(id) })
  await send({ text: 'Hello!' }).ended
  expect(engine.stats().stepTimes).toEqual({})
})

test('an embedder times its batches', async () => {
  await using texts = startTextModels({ threads: 2 })
  const model = starterTextModel('embedding')
  await texts.embed(model, 'moon', 'sun')
  const { stepTimes = {} } = (await texts.pool.stats(model.manifest.id)) ?? {}
  expect(stepTimes.queue?.count).toBe(1)
  for (const phase of ['build', 'device', 'copy', 'wake', 'accept'] as const) {
    expect(stepTimes[phase]?.count).toBeGreaterThan(0)
  }
  expect(stepShares(stepTimes)?.sampling).toBe(0)
})

test('a transcriber times its chunks', async () => {
  await using transcribers = startTranscribers({ threads: 2 })
  const model = starterTranscriber()
  const audio = writeRecording(join(folder, 'spoken.pcm'), spokenSamples())
  await transcribers.transcribe(model, { audio, wantsWords: false })
  const { stepTimes = {} } = (await transcribers.pool.stats(model.manifest.id)) ?? {}
  expect(stepTimes.queue?.count).toBe(1)
  for (const phase of ['build', 'device', 'accept', 'emit'] as const) {
    expect(stepTimes[phase]?.count).toBeGreaterThan(0)
  }
})

test('a speech model times its sentences', async () => {
  const pool = startSpeechEngines()
  const model = starterSpeechModel('tts')
  const request = { input: 'A fox. It jumps.', voice: 'alloy', speed: 1, format: 'pcm' } as const
  const context = { accountId: 'a', signal: new AbortController().signal, meter: unlimited }
  for await (const _ of pool.run(model, { kind: 'speak', request }, context));
  const { stepTimes = {} } = (await pool.stats(model.manifest.id)) ?? {}
  await pool.stop()
  expect(stepTimes.queue?.count).toBe(1)
  expect(stepTimes.device?.count).toBeGreaterThan(0)
  expect(stepTimes.emit?.count).toBeGreaterThan(0)
})
