/** The starter's recogniser with several chunks in a run, its speech finder and the loop, in this process. */
import { afterAll, expect, test } from 'bun:test'
import { mkdtempSync, rmSync, truncateSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { AudioFile } from '../../../core/speech.ts'
import { changeSignal } from '../../../testing/change-signal.ts'
import { silence, spokenSamples, writeRecording } from '../../../testing/spoken.ts'
import { starterTranscriber } from '../../../testing/starter-transcriber.ts'
import type { RequestEvent } from '../../protocol/request-events.ts'
import { runtimePaths } from '../../runtime/runtime-paths.ts'
import { PartsLoop } from '../../shared/parts-loop.ts'
import { StepClock } from '../../shared/step-clock.ts'
import { openRecognizer } from './recognizer.ts'
import { recognizerKinds } from './recognizer-kinds.ts'
import { startSpeechFinder } from './speech-finder.ts'
import { transcribing } from './transcribe.ts'

const folder = mkdtempSync(join(tmpdir(), 'inferd-shared-run-'))
afterAll(() => rmSync(folder, { recursive: true }))
const { sherpaOnnx, addons } = await runtimePaths('')
const { filePaths } = starterTranscriber()
const kind = recognizerKinds['zipformer-ctc']
const vad = filePaths.vad ?? ''
const finder = await startSpeechFinder({ sherpaOnnx, vad, rules: kind.cut }, () => undefined)

/**
 * Starts a loop whose first run waits until `firstWaitsForParts` parts of recordings were searched for speech, so that
 * chunks of all recordings wait.
 */
async function start(chunks: number, firstWaitsForParts: number) {
  const runs: number[] = []
  const events: RequestEvent[] = []
  const { emit, until } = changeSignal()
  let parts = 0
  const recognizer = await openRecognizer({
    ...{ sherpaOnnx, kind, threads: 1, provider: 'cpu' },
    pathOf: (role) => filePaths[role] ?? '',
    together: { addon: join(addons, 'inferd-speech.node'), chunks },
    log: () => undefined,
  })
  const clock = new StepClock()
  const engine = transcribing({
    ...{ kind, languages: ['en'], lanes: 1, clock, log: () => undefined, onHang: () => undefined },
    finder: {
      open: (audio) => {
        const recording = finder.open(audio)
        const read = () =>
          recording.read().finally(() => {
            parts++
            emit()
          })
        return { read, close: recording.close }
      },
    },
    recognizer: {
      chunksTogether: recognizer.chunksTogether,
      recognize: async (all) => {
        runs.push(all.length)
        emit()
        if (runs.length === 1) await until(() => parts >= firstWaitsForParts)
        return recognizer.recognize(all)
      },
      set: recognizer.set,
    },
  })
  const loop = new PartsLoop(engine, {
    ...{ lanes: 1, threadsPerLane: 1, clock },
    emit: (more) => {
      events.push(...more)
      emit()
    },
  })
  return {
    loop,
    runs,
    until,
    run: (id: number, audio: AudioFile) => {
      loop.add(id, `acc_${id % 3}`, { kind: 'transcribe', request: { audio, wantsWords: true } })
      loop.grant(id)
    },
    ended: (id: number) => until(() => of(events, id).some(isEnd)),
    of: (id: number) => of(events, id),
  }
}

function of(events: readonly RequestEvent[], id: number): RequestEvent[] {
  return events.filter((event) => event.id === id)
}

function isEnd(item: RequestEvent): boolean {
  return 'error' in item || 'cancelled' in item || ('event' in item && item.event.type === 'finish')
}

/** A frame of the model. A run with more rows adds up in another order, which can move a token by one frame. */
const frameSeconds = 0.04

/** Expects equal events, except that times may differ by a frame. */
function expectSame(found: readonly RequestEvent[], expected: readonly RequestEvent[]): void {
  const withoutTimes = (events: readonly RequestEvent[]) => JSON.stringify(events).replaceAll(secondsField, '$1')
  expect(withoutTimes(found)).toBe(withoutTimes(expected))
  const times = (events: readonly RequestEvent[]) =>
    [...JSON.stringify(events).matchAll(secondsField)].map(([, , seconds]) => Number(seconds))
  const expectedTimes = times(expected)
  for (const [at, seconds] of times(found).entries())
    expect(Math.abs(seconds - (expectedTimes[at] ?? 0))).toBeLessThan(frameSeconds + 0.001)
}

const secondsField = /("(?:start|end)Seconds":)([\d.]+)/g

/** Recordings of different lengths: sentences with pauses, so that each has chunks of different lengths. */
const recordings = [1, 3, 7, 2, 5].map((times, at) => {
  const spoken = spokenSamples()
  const parts = Array.from({ length: times }, (_, part) => [spoken, silence(part % 2 === 0 ? 3 : 0.1)]).flat()
  return writeRecording(join(folder, `${at}.pcm`), ...parts)
})

test('recordings of unlike lengths have the same segments in shared runs as one after the other', async () => {
  const [alone, shared] = [await start(1, 0), await start(8, recordings.length)]
  for (const [id, audio] of recordings.entries()) {
    alone.run(id, audio)
    await alone.ended(id)
  }
  for (const [id, audio] of recordings.entries()) shared.run(id, audio)
  await Promise.all(recordings.map((_, id) => shared.ended(id)))
  expect(Math.max(...alone.runs)).toBe(1)
  expect(Math.max(...shared.runs)).toBeGreaterThan(2)
  for (const id of recordings.keys()) expectSame(shared.of(id), alone.of(id))
})

test('recordings that are cancelled or broken leave those that share their runs as they are', async () => {
  const [alone, shared] = [await start(1, 0), await start(8, 5)]
  const [first, second, third, cancelled] = recordings
  if (first === undefined || second === undefined || third === undefined || cancelled === undefined) throw new Error()
  const broken = writeRecording(join(folder, 'broken.pcm'), spokenSamples(), silence(3), spokenSamples())
  const good = [first, second, third]
  for (const [id, audio] of good.entries()) {
    alone.run(id, audio)
    await alone.ended(id)
  }
  for (const [id, audio] of good.entries()) shared.run(id, audio)
  shared.run(10, cancelled)
  shared.run(11, broken)
  await shared.until(() => shared.runs.length > 0)
  shared.loop.cancel(10)
  truncateSync(broken.path, 1000)
  await Promise.all([0, 1, 2, 10, 11].map(shared.ended))
  expect(shared.of(10).at(-1)).toMatchObject({ cancelled: {} })
  for (const id of good.keys()) expectSame(shared.of(id), alone.of(id))
})
