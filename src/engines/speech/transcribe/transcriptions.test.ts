/** The starter model on the real engine, in a child process. The tests do not depend on the quality of its training. */
import { afterAll, expect, test } from 'bun:test'
import { mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TranscribeRequest, TranscriptWord } from '../../../core/speech.ts'
import { silence, spokenSamples, spokenWords, writeRecording } from '../../../testing/spoken.ts'
import { starterTranscriber, startTranscribers, type Transcript } from '../../../testing/starter-transcriber.ts'

const model = starterTranscriber()
const shared = startTranscribers({ threads: 2 })
const folder = mkdtempSync(join(tmpdir(), 'inferd-transcribe-'))

afterAll(async () => {
  await shared.pool.stop()
  rmSync(folder, { recursive: true })
})

let recordings = 0

function recording(...parts: readonly Int16Array[]): TranscribeRequest {
  return { audio: writeRecording(join(folder, `${recordings++}.pcm`), ...parts), wantsWords: true }
}

function wordsIn({ segments }: Transcript): TranscriptWord[] {
  return segments.flatMap(({ words = [] }) => words)
}

/** Returns the number of the recording's words that were recognised. */
function rightWords(words: readonly TranscriptWord[]): number {
  return spokenWords.filter((spoken) => words.some(({ text }) => text.toLowerCase().startsWith(spoken))).length
}

test('speech becomes words, with times in order and within the recording', async () => {
  const heard = await shared.transcribe(model, recording(spokenSamples()))
  expect(heard.language).toBe('en')
  expect(heard.usage.audioMs).toBe(3777)
  const words = wordsIn(heard)
  expect(rightWords(words)).toBeGreaterThanOrEqual(4)
  expect(words.map(({ text }) => text).join(' ')).toBe(heard.text)
  let before = 0
  for (const { startSeconds, endSeconds } of words) {
    expect(startSeconds).toBeGreaterThanOrEqual(before)
    expect(endSeconds).toBeGreaterThan(startSeconds)
    before = endSeconds
  }
  expect(before).toBeLessThanOrEqual(3.777)
})

test('words come only where they are wanted, and the language is the one that the client says', async () => {
  const heard = await shared.transcribe(model, { ...recording(spokenSamples()), wantsWords: false, language: 'de' })
  expect(heard.segments.length).toBeGreaterThan(0)
  expect(wordsIn(heard)).toEqual([])
  expect(heard.language).toBe('de')
})

test('silence and an empty recording have no text', async () => {
  for (const seconds of [0, 0.01, 20]) {
    const heard = await shared.transcribe(model, recording(silence(seconds)))
    expect(heard).toMatchObject({ segments: [], usage: { audioMs: seconds * 1000 } })
  }
})

test('a long recording is told in order, in the times of the recording', async () => {
  const parts = Array.from({ length: 12 }, () => [spokenSamples(), silence(6)]).flat()
  const lengthSeconds = 6 + spokenSamples().length / 16_000
  const words = wordsIn(await shared.transcribe(model, recording(...parts)))
  expect(words.map(({ startSeconds }) => startSeconds)).toEqual(
    words.map(({ startSeconds }) => startSeconds).toSorted((first, second) => first - second),
  )
  for (let part = 0; part < 12; part++) {
    const own = words.filter(({ startSeconds }) => Math.floor(startSeconds / lengthSeconds) === part)
    expect(rightWords(own)).toBeGreaterThanOrEqual(4)
    for (const { endSeconds } of own) expect(endSeconds - part * lengthSeconds).toBeLessThan(4)
  }
})

test('times are right however late in the recording', async () => {
  const firstStart = async (...parts: readonly Int16Array[]) =>
    wordsIn(await shared.transcribe(model, recording(...parts, spokenSamples(), silence(1))))[0]?.startSeconds ?? 0
  expect(Math.abs((await firstStart(silence(301))) - (await firstStart(silence(1))) - 300)).toBeLessThan(0.2)
})

test('recordings of several accounts are transcribed side by side, each as alone', async () => {
  const alone = await shared.transcribe(model, recording(spokenSamples(), silence(3), spokenSamples()))
  const together = await Promise.all(
    ['acc_1', 'acc_1', 'acc_2', 'acc_3'].map((accountId) =>
      shared.transcribe(model, recording(spokenSamples(), silence(3), spokenSamples()), { accountId }),
    ),
  )
  for (const heard of together) expect(heard.text).toBe(alone.text)
})

test('a cancelled request ends in the middle, and the next one is served', async () => {
  const controller = new AbortController()
  const parts = Array.from({ length: 60 }, () => [spokenSamples(), silence(6)]).flat()
  const before = (await shared.pool.stats(model.manifest.id))?.steps ?? 0
  const running = shared.transcribe(model, recording(...parts), {
    signal: controller.signal,
    onSegment: () => controller.abort(new Error('enough')),
  })
  await expect(running).rejects.toThrow('enough')
  const steps = ((await shared.pool.stats(model.manifest.id))?.steps ?? 0) - before
  expect(steps).toBeLessThan(50)
  expect((await shared.transcribe(model, recording(spokenSamples()))).text).not.toBe('')
})

test.each([0, 2_000_000, 4_800_000])(
  'a recording whose file has lost its end after %d bytes fails alone',
  async (bytes) => {
    const lost = recording(...Array.from({ length: 20 }, () => [spokenSamples(), silence(6)]).flat())
    if (bytes === 0) rmSync(lost.audio.path)
    else truncateSync(lost.audio.path, bytes)
    await expect(shared.transcribe(model, lost)).rejects.toMatchObject({ code: 'engine_failed' })
    expect((await shared.transcribe(model, recording(spokenSamples()))).text).not.toBe('')
  },
)

test('words of a recording that is cut off end with it', async () => {
  for (const sampleCount of [8193, 9217, 14_337, 16_385]) {
    const { segments } = await shared.transcribe(model, recording(spokenSamples().subarray(0, sampleCount)))
    expect(segments.at(-1)?.endSeconds).toBeLessThanOrEqual(Math.round(sampleCount / 16) / 1000)
  }
})

test('a model without a part for voice activity uses the one that is shipped', async () => {
  const { vad: _, ...others } = model.filePaths
  const heard = await shared.transcribe(
    { manifest: { ...model.manifest, id: 'test/no-vad' }, filePaths: others },
    recording(spokenSamples()),
  )
  expect(heard.text).not.toBe('')
})

test('a model that ends its process is a failed load, and says so in the log', async () => {
  await using transcribers = startTranscribers()
  const foreign = { ...model.manifest, id: 'test/foreign', transcriber: { kind: 'nemo-ctc' } as const }
  const running = transcribers.transcribe({ ...model, manifest: foreign }, recording(spokenSamples()))
  await expect(running).rejects.toMatchObject({ kind: 'unavailable' })
  expect(transcribers.lines.join('\n')).toMatch(/exit code 255/)
})

test('a file that is no model is a failed load', async () => {
  await using transcribers = startTranscribers()
  const garbage = join(folder, 'garbage.onnx')
  writeFileSync(garbage, 'garbage')
  for (const role of ['model', 'vad']) {
    const damaged = { ...starterTranscriber({ [role]: garbage }), manifest: { ...model.manifest, id: `test/${role}` } }
    const running = transcribers.transcribe(damaged, recording(spokenSamples()))
    await expect(running).rejects.toMatchObject({ kind: 'unavailable' })
  }
})
