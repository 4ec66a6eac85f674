import { afterAll, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { DetectionRules } from '../../../core/speech.ts'
import { silence, spokenSamples, writeRecording } from '../../../testing/spoken.ts'
import { starterTranscriber } from '../../../testing/starter-transcriber.ts'
import { runtimePaths } from '../../runtime/runtime-paths.ts'
import { recognizerKinds } from './recognizer-kinds.ts'
import { startSpeechFinder } from './speech-finder.ts'

const folder = mkdtempSync(join(tmpdir(), 'inferd-finder-'))
afterAll(() => rmSync(folder, { recursive: true }))
const { sherpaOnnx } = await runtimePaths('')
const vad = starterTranscriber().filePaths.vad ?? ''
const rules = recognizerKinds['zipformer-ctc'].cut
const finder = await startSpeechFinder({ sherpaOnnx, vad, rules }, () => undefined)
const spoken = writeRecording(join(folder, 'spoken.pcm'), spokenSamples(), silence(4))

/** Returns the number of samples that the chunks of the recording hold. */
async function found(detection: DetectionRules): Promise<number> {
  const recording = finder.open(spoken, detection)
  const { chunks, isLast } = await recording.read()
  recording.close()
  expect(isLast).toBe(true)
  return chunks.reduce((sum, { start, end }) => sum + end - start, 0)
}

test('the lower the threshold, the more is speech, at both ends too', async () => {
  const lengths: number[] = []
  for (const threshold of [0, 0.01, 0.5, 0.99, 1]) lengths.push(await found({ threshold }))
  expect(lengths).toEqual(lengths.toSorted((first, second) => second - first))
  expect(lengths[0]).toBeGreaterThanOrEqual(spokenSamples().length)
  expect(lengths[0]).toBe(lengths[1] ?? 0)
  expect(lengths[4]).toBeGreaterThan(0)
  expect(lengths[4]).toBeLessThan(lengths[2] ?? 0)
})

test('detectors of thresholds leave no memory', async () => {
  for (let count = 0; count < 20; count++) await found({ threshold: 0.5 })
  const before = process.memoryUsage.rss()
  for (let count = 0; count < 150; count++) await found({ threshold: 0.5 })
  expect(process.memoryUsage.rss() - before).toBeLessThan(100 * 1024 * 1024)
}, 60_000)
