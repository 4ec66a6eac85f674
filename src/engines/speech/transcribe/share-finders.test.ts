import { afterAll, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { AudioFile } from '../../../core/speech.ts'
import { silence, spokenSamples, writeRecording } from '../../../testing/spoken.ts'
import { starterTranscriber } from '../../../testing/starter-transcriber.ts'
import { runtimePaths } from '../../runtime/runtime-paths.ts'
import { shareFinders } from './load-transcriber.ts'
import { recognizerKinds } from './recognizer-kinds.ts'
import type { Chunk } from './speech-cutter.ts'
import { type SpeechFinder, startSpeechFinder } from './speech-finder.ts'

const folder = mkdtempSync(join(tmpdir(), 'inferd-finders-'))
afterAll(() => rmSync(folder, { recursive: true }))

/** Finders on two threads, and the thread of each recording in the order of opening. */
function twoThreads() {
  const opened: number[] = []
  const thread = (index: number): SpeechFinder => ({
    open: () => {
      opened.push(index)
      return { read: async () => ({ chunks: [], isLast: true }), close: () => undefined }
    },
  })
  return { opened, finder: shareFinders([thread(0), thread(1)]) }
}

test('a recording is searched by the thread that has the fewest', () => {
  const { opened, finder } = twoThreads()
  const audio = { path: '', sampleCount: 0 }
  finder.open(audio)
  const second = finder.open(audio)
  second.close()
  second.close()
  finder.open(audio)
  finder.open(audio)
  expect(opened).toEqual([0, 1, 1, 0])
})

async function chunksOf(finder: SpeechFinder, audio: AudioFile): Promise<Chunk[]> {
  const recording = finder.open(audio)
  const chunks: Chunk[] = []
  for (let isLast = false; !isLast; ) {
    const part = await recording.read()
    chunks.push(...part.chunks)
    isLast = part.isLast
  }
  recording.close()
  return chunks
}

test('several threads find what one finds, also in recordings that follow others', async () => {
  const { filePaths } = starterTranscriber()
  const { sherpaOnnx } = await runtimePaths('')
  const rules = recognizerKinds['zipformer-ctc'].cut
  const start = () => startSpeechFinder({ sherpaOnnx, vad: filePaths.vad ?? '', rules }, () => undefined)
  const [alone, ...threads] = await Promise.all([start(), start(), start(), start()])
  const shared = shareFinders(threads)
  const recordings = Array.from({ length: 8 }, (_, at) => {
    const parts = Array.from({ length: 1 + ((at * 3) % 7) }, (_, part) => [spokenSamples(), silence((at + part) % 4)])
    return writeRecording(join(folder, `${at}.pcm`), ...parts.flat())
  })
  const found = await Promise.all(recordings.map((audio) => chunksOf(shared, audio)))
  for (const [at, audio] of recordings.entries()) expect(found[at]).toEqual(await chunksOf(alone, audio))
})
