import { afterAll, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { audioSampleRateHz } from '../../../core/speech.ts'
import { changeSignal } from '../../../testing/change-signal.ts'
import { silence, writeRecording } from '../../../testing/spoken.ts'
import type { RequestEvent } from '../../protocol/request-events.ts'
import { PartsLoop } from '../../shared/parts-loop.ts'
import { StepClock } from '../../shared/step-clock.ts'
import type { RecognizedChunk } from './recognizer.ts'
import { recognizerKinds } from './recognizer-kinds.ts'
import { transcribing } from './transcribe.ts'

const folder = mkdtempSync(join(tmpdir(), 'inferd-transcribe-loop-'))
/** Amplitude per second of the recording: a sample reveals its second. */
const loudness = 1000
const seconds = Array.from({ length: 10 }, (_, second) => silence(1).fill(second * loudness))
const audio = writeRecording(join(folder, 'seconds.pcm'), ...seconds)
afterAll(() => rmSync(folder, { recursive: true }))

/** Recordings with one chunk per second, whose texts and order the test determines. */
function start(
  options: {
    readonly lanes?: number
    readonly chunksTogether?: number
    readonly chunkLimitMs?: number
    readonly silentParts?: number
  } = {},
) {
  const { lanes = 2, chunksTogether = 1, silentParts = 0, ...limit } = options
  const events: RequestEvent[] = []
  const begun: (PromiseWithResolvers<RecognizedChunk> & { readonly second: number })[] = []
  /** Chunks of each run, by their seconds. */
  const runs: number[][] = []
  const chunkOf = (second: number) => begun.findLast((chunk) => chunk.second === second)
  const hung = Promise.withResolvers<string>()
  let closed = 0
  const changes = changeSignal()
  const onChange = changes.emit
  const clock = new StepClock()
  const engine = transcribing({
    recognizer: {
      chunksTogether,
      recognize: (all) => {
        const chunks = all.map(({ samples: [sample = 0] }) => {
          const second = Math.round((sample * 32_768) / loudness)
          return { ...Promise.withResolvers<RecognizedChunk>(), second }
        })
        begun.push(...chunks)
        runs.push(chunks.map(({ second }) => second))
        onChange()
        return Promise.allSettled(chunks.map(({ promise }) => promise))
      },
      set: () => undefined,
    },
    finder: {
      open: () => {
        const second = audioSampleRateHz
        const chunks = [0, 1, 2, 3].map((at) => ({ start: at * second, end: (at + 1) * second }))
        let part = 0
        return {
          read: async () =>
            part++ < silentParts
              ? { chunks: [], isLast: false }
              : { chunks: chunks.map((chunk) => ({ ...chunk, speech: [chunk] })), isLast: true },
          close: () => void closed++,
        }
      },
    },
    kind: recognizerKinds['zipformer-ctc'],
    languages: undefined,
    lanes,
    clock,
    log: () => undefined,
    onHang: hung.resolve,
    ...limit,
  })
  const loop = new PartsLoop(engine, {
    ...{ lanes, threadsPerLane: 1, clock },
    emit: (more) => {
      events.push(...more)
      onChange()
    },
  })
  const { until } = changes
  return {
    loop,
    events,
    hung: hung.promise,
    run: (id: number, accountId = 'acc', recorded = audio) => {
      loop.add(id, accountId, { kind: 'transcribe', request: { audio: recorded, wantsWords: false } })
      loop.grant(id)
    },
    /** Waits until `count` chunks have started. */
    begun: (count: number) => until(() => begun.length >= count),
    count: () => begun.length,
    runs,
    /** Returns the number of closed recordings. */
    closed: () => closed,
    /** Ends the chunk of a second, in the recording started last, with a text. */
    say: (second: number, text: string) => chunkOf(second)?.resolve(said(text)),
    /** Ends all started chunks with their second as text. */
    sayAll: () => {
      for (const { second, resolve } of begun) resolve(said(`${second}`))
    },
    fail: (second: number) => chunkOf(second)?.reject(new Error('broken')),
    told: (count: number) => until(() => textsIn(events).length >= count),
    ended: (id: number) => until(() => events.some((event) => event.id === id && isEnd(event))),
  }
}

function said(text: string): RecognizedChunk {
  return { text, tokens: [], timestamps: [], durations: [], logProbabilities: [], parts: [], language: undefined }
}

function textsIn(events: readonly RequestEvent[]): string[] {
  return events.flatMap((item) => ('event' in item && item.event.type === 'segment' ? item.event.text : []))
}

type Started = Pick<ReturnType<typeof start>, 'begun' | 'sayAll'>

/** Ends chunks as they start, until `count` have started. */
async function finish({ begun, sayAll }: Started, count: number): Promise<void> {
  for (let expected = 1; expected <= count; expected++) {
    await begun(expected)
    sayAll()
  }
}

function isEnd(item: RequestEvent): boolean {
  return 'error' in item || 'cancelled' in item || ('event' in item && item.event.type === 'finish')
}

test('segments are told in the order of the recording, whichever is ready first', async () => {
  const { run, begun, say, told, ended, events } = start()
  run(1)
  await begun(2)
  say(1, 'two')
  await begun(3)
  expect(textsIn(events)).toEqual([])
  say(0, 'one')
  await told(2)
  await begun(4)
  say(3, 'four')
  say(2, 'three')
  await ended(1)
  expect(textsIn(events)).toEqual(['one', 'two', 'three', 'four'])
  expect(events[0]).toMatchObject({ prepared: { least: { audioMs: 10_000 } } })
  expect(events.at(-1)).toMatchObject({ event: { type: 'finish', usage: { audioMs: 10_000 } } })
})

test('a cancelled request pays up to the last chunk that was begun, which is computed first', async () => {
  const { loop, run, begun, count, say, ended, events } = start()
  run(1)
  await begun(2)
  loop.cancel(1)
  expect(events.some(isEnd)).toBe(false)
  say(0, 'one')
  say(1, 'two')
  await ended(1)
  expect(events.at(-1)).toMatchObject({ cancelled: { audioMs: 2000 } })
  expect(count()).toBe(2)
  expect(textsIn(events)).toEqual([])
})

test('a cancelled request whose last chunk fails is cancelled all the same', async () => {
  const { loop, run, begun, fail, ended, events } = start({ lanes: 1 })
  run(1)
  await begun(1)
  loop.cancel(1)
  fail(0)
  await ended(1)
  expect(events.at(-1)).toMatchObject({ cancelled: { audioMs: 1000 } })
})

test('of a request that is cancelled nothing more is begun, whether it is read or recognised', async () => {
  const { loop, run, begun, count, closed, say, sayAll, ended } = start()
  run(1)
  loop.cancel(1)
  run(2)
  await begun(2)
  loop.cancel(2)
  say(0, 'one')
  say(1, 'two')
  await ended(2)
  run(3)
  for (const count of [4, 5, 6]) {
    await begun(count)
    sayAll()
  }
  await ended(3)
  expect(count()).toBe(6)
  expect(closed()).toBe(3)
})

test('a request that waits is cancelled for nothing', async () => {
  const { loop, events } = start()
  loop.add(1, 'acc', { kind: 'transcribe', request: { audio, wantsWords: false } })
  loop.cancel(1)
  loop.grant(1)
  expect(events.at(-1)).toMatchObject({ cancelled: { audioMs: 0 } })
})

test('accounts take turns by chunk', async () => {
  const { run, begun, sayAll, ended, events } = start({ lanes: 1 })
  run(1, 'acc_1')
  await begun(1)
  run(2, 'acc_2')
  for (let chunk = 0; chunk < 8; chunk++) {
    await begun(chunk + 1)
    sayAll()
  }
  await ended(1)
  await ended(2)
  const owners = events.flatMap((item) => ('event' in item && item.event.type === 'segment' ? item.id : []))
  expect(owners.slice(0, 6).filter((owner) => owner === 2).length).toBeGreaterThanOrEqual(2)
})

test('a chunk that cannot be recognised fails its request alone', async () => {
  const { run, begun, fail, say, ended, events } = start()
  run(1)
  await begun(2)
  fail(0)
  await ended(1)
  expect(events.at(-1)).toMatchObject({ id: 1, error: { code: 'engine_failed' } })
  say(1, 'late')
  run(2)
  await begun(4)
  expect(events.filter(isEnd)).toHaveLength(1)
})

test('fewer threads are fewer chunks side by side', async () => {
  const { loop, run, begun, count, say } = start({ lanes: 3 })
  loop.useThreads(0)
  run(1)
  await begun(1)
  say(0, 'one')
  await begun(2)
  expect(count()).toBe(2)
  loop.useThreads(8)
  await begun(4)
  expect(loop.stats()).toMatchObject({ threads: 3, running: 1 })
})

test('each part of a recording is a step, with speech or without, and each chunk', async () => {
  const { loop, run, begun } = start({ silentParts: 5 })
  run(1)
  await begun(1)
  const chunksBegun = 2
  expect(loop.stats().steps).toBe(6 + chunksBegun)
})

test('chunks of all recordings that wait share a run, and are told in the order of each', async () => {
  const { run, begun, sayAll, ended, runs, events } = start({ lanes: 1, chunksTogether: 3 })
  run(1, 'acc_1')
  await begun(1)
  run(2, 'acc_2')
  await finish({ begun, sayAll }, 8)
  await Promise.all([ended(1), ended(2)])
  expect(Math.max(...runs.map(({ length }) => length))).toBe(3)
  for (const id of [1, 2]) {
    const own = events.filter((event) => event.id === id)
    expect(textsIn(own)).toEqual(['0', '1', '2', '3'])
    expect(own.at(-1)).toMatchObject({ event: { type: 'finish' } })
  }
})

test('an account with many recordings leaves places of a run to another', async () => {
  const { run, begun, sayAll, ended, events } = start({ lanes: 1, chunksTogether: 4 })
  const many = [1, 2, 3, 4]
  for (const id of many) run(id, 'many')
  await begun(1)
  run(5, 'few')
  await finish({ begun, sayAll }, 20)
  await Promise.all([...many, 5].map(ended))
  expect(events.filter(isEnd).at(-1)?.id).not.toBe(5)
})

test('a recording that cannot be read fails alone, and the others of its run are recognised', async () => {
  const lost = { ...audio, path: join(folder, 'gone.pcm') }
  const { run, begun, sayAll, ended, events } = start({ lanes: 1, chunksTogether: 8 })
  run(1)
  run(2, 'other', lost)
  run(3, 'third')
  await finish({ begun, sayAll }, 8)
  await Promise.all([1, 2, 3].map(ended))
  for (const id of [1, 3]) expect(textsIn(events.filter((event) => event.id === id))).toEqual(['0', '1', '2', '3'])
  expect(events.filter((event) => event.id === 2).at(-1)).toMatchObject({ error: { code: 'engine_failed' } })
})

test('a request that is cancelled while its chunks share a run pays for them, and the others are told', async () => {
  const { loop, run, begun, sayAll, ended, events } = start({ lanes: 1, chunksTogether: 8 })
  run(1)
  run(2, 'other')
  await begun(2)
  loop.cancel(1)
  await finish({ begun, sayAll }, 5)
  await Promise.all([ended(1), ended(2)])
  expect(textsIn(events.filter(({ id }) => id === 1))).toEqual([])
  expect(events.find((event) => event.id === 1 && isEnd(event))).toMatchObject({
    cancelled: { audioMs: expect.any(Number) },
  })
  expect(textsIn(events.filter(({ id }) => id === 2))).toEqual(['0', '1', '2', '3'])
})

test('a chunk that takes too long ends the process', async () => {
  const { run, hung } = start({ chunkLimitMs: 1 })
  run(1)
  expect(await hung).toBe('a part of a recording takes far too long')
})
