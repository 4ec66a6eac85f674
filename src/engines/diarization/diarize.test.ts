/** Races in a request's life; the models here answer when the test lets them. */
import { afterAll, expect, test } from 'bun:test'
import { mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { WorkEvent } from '../../core/work.ts'
import type { RequestEvent } from '../protocol/request-events.ts'
import { PartsLoop } from '../shared/parts-loop.ts'
import { StepClock } from '../shared/step-clock.ts'
import { diarization } from './diarize.ts'
import { Turnstile } from './turnstile.ts'
import { filterbank } from './voices/filterbank.ts'

const folder = mkdtempSync(join(tmpdir(), 'inferd-diarization-loop-'))
afterAll(() => rmSync(folder, { recursive: true }))

/** Windows of one second, 0.2 s apart. One speaker speaks in the first half of each. */
const shape = { windowSamples: 16_000, windowFrames: 50, frameShiftSamples: 320, frameFieldSamples: 400 }
const batchSeconds = (16 * 10 * 320) / 16_000

interface Asked {
  /** First sample of the window, which identifies the recording. */
  readonly recording: number
  readonly answer: PromiseWithResolvers<Uint8Array>
}

function startLoop(options: { readonly rowsTogether?: number } = {}) {
  const events: RequestEvent<WorkEvent<'diarize'>>[] = []
  const lines: string[] = []
  const asked: Asked[] = []
  const turnstile = new Turnstile(4)
  const changed: (() => void)[] = []
  const change = () => {
    for (const resolve of changed.splice(0)) resolve()
  }
  const clock = new StepClock()
  const engine = diarization({
    ...{ threshold: 0.7, turnstile, clock, ...options },
    log: (line) => lines.push(line),
    hearing: {
      segmentation: {
        shape,
        segment: (samples) => {
          const answer = Promise.withResolvers<Uint8Array>()
          asked.push({ recording: Math.round((samples[0] ?? 0) * 32_768), answer })
          change()
          return answer.promise
        },
      },
      embedding: {
        toEnergies: filterbank({ window: 'povey', scale: 1, highestHz: 8000 }),
        embed: async () => Float32Array.of(1, 0),
      },
    },
  })
  const loop = new PartsLoop(engine, {
    ...{ lanes: turnstile.limit, threadsPerLane: 1, clock },
    emit: (items) => {
      events.push(...items)
      change()
    },
  })
  const until = async (isSo: () => boolean) => {
    while (!isSo()) await new Promise<void>((resolve) => changed.push(resolve))
  }
  return {
    loop,
    events,
    lines,
    turnstile,
    asked,
    until,
    /** Adds a request for a recording of `batches` batches. */
    add: (id: number, accountId: string, batches: number) => {
      const samples = new Int16Array(Math.round(batches * batchSeconds * 16_000)).fill(id)
      const path = join(folder, `${id}.pcm`)
      writeFileSync(path, samples)
      loop.add(id, accountId, { kind: 'diarize', request: { audio: { path, sampleCount: samples.length } } })
      return path
    },
    of: (id: number) =>
      events
        .filter((event) => event.id === id)
        .map((event) => {
          if ('event' in event) return event.event.type
          if ('error' in event) return `error ${event.error.code}`
          return 'cancelled' in event ? 'cancelled' : 'other'
        }),
    /** Answers all pending windows. Returns the recording of each. */
    answer: () => {
      const mask = Uint8Array.from({ length: shape.windowFrames }, (_, frame) => (frame < 25 ? 1 : 0))
      return asked.splice(0).map(({ recording, answer }) => {
        answer.resolve(mask)
        return recording
      })
    },
  }
}

/**
 * Answers all windows until the requests end. Returns the recordings in the order in which their batches were
 * computed.
 */
async function hearAll({ until, asked, answer, of }: ReturnType<typeof startLoop>, ids: readonly number[]) {
  const order: number[] = []
  const isDone = () => ids.every((id) => of(id).at(-1) === 'finish' || of(id).at(-1) === 'cancelled')
  while (!isDone()) {
    await until(() => asked.length > 0 || isDone())
    for (const recording of answer()) if (order.at(-1) !== recording) order.push(recording)
  }
  return order
}

test('a recording is heard, and ends with its turns', async () => {
  const loop = startLoop()
  loop.add(1, 'a', 0.3)
  await hearAll(loop, [1])
  expect(loop.of(1)).toEqual(['start', 'turns', 'finish'])
  expect(loop.loop.stats()).toMatchObject({ running: 0, waiting: 0, steps: 1 })
})

test('the turns reach over all batches', async () => {
  const loop = startLoop()
  loop.add(1, 'a', 3)
  await hearAll(loop, [1])
  const turns = loop.events.flatMap((event) =>
    'event' in event && event.event.type === 'turns' ? event.event.turns : [],
  )
  expect(turns).toHaveLength(1)
  expect(turns[0]?.startSeconds).toBeLessThan(0.1)
  expect(turns[0]?.endSeconds).toBeGreaterThan(3 * batchSeconds - 1)
})

test('accounts take turns batch by batch: a short recording does not wait for a long one of another', async () => {
  const loop = startLoop()
  loop.add(1, 'long', 12)
  await loop.until(() => loop.asked.length === 32) // two batches
  loop.add(2, 'short', 1.5)
  await loop.until(() => loop.of(2).includes('start'))
  const order = await hearAll(loop, [1, 2])
  expect(order.indexOf(2)).toBe(1)
  expect(order.at(-1)).toBe(1)
  expect([loop.of(1), loop.of(2)]).toEqual([
    ['start', 'turns', 'finish'],
    ['start', 'turns', 'finish'],
  ])
})

test('where many windows are computed together, batches are as large, and short recordings are heard side by side', async () => {
  const loop = startLoop({ rowsTogether: 64 })
  const ids = Array.from({ length: 12 }, (_, index) => index + 1)
  for (const id of ids) loop.add(id, `account ${id % 3}`, 0.3)
  await loop.until(() => new Set(loop.asked.map(({ recording }) => recording)).size === ids.length)
  expect((await hearAll(loop, ids)).length).toBe(ids.length)
  loop.add(13, 'a', 12)
  await loop.until(() => loop.asked.length === 128)
  await hearAll(loop, [13])
  expect(loop.of(13)).toEqual(['start', 'turns', 'finish'])
})

test('what is cancelled ends at once, and no further batch of it begins', async () => {
  const loop = startLoop()
  loop.add(1, 'a', 50)
  await loop.until(() => loop.asked.length === 32)
  loop.loop.cancel(1)
  expect(loop.of(1)).toEqual(['start', 'cancelled'])
  loop.answer()
  loop.add(2, 'a', 0.5)
  expect(await hearAll(loop, [2])).toEqual([2])
  loop.loop.cancel(1)
  loop.loop.cancel(99)
  expect(loop.of(1)).toEqual(['start', 'cancelled'])
})

test('a request that is cancelled at once ends as cancelled', async () => {
  const loop = startLoop()
  loop.add(1, 'a', 1)
  loop.loop.cancel(1)
  loop.add(2, 'a', 0.3)
  await hearAll(loop, [2])
  expect(loop.of(1)).toEqual(['start', 'cancelled'])
})

test('a model that fails ends the request once, with a line for the operator', async () => {
  const loop = startLoop()
  loop.add(1, 'a', 3)
  await loop.until(() => loop.asked.length === 32)
  for (const { answer } of loop.asked.splice(0)) answer.reject(new Error('no memory'))
  await loop.until(() => loop.of(1).length > 1)
  loop.add(2, 'a', 0.3)
  await hearAll(loop, [2])
  expect(loop.of(1)).toEqual(['start', 'error engine_failed'])
  expect(loop.lines).toEqual(['request failed: no memory'])
})

test('a file that is cut while it is heard ends the request', async () => {
  const loop = startLoop()
  const path = loop.add(1, 'a', 9)
  await loop.until(() => loop.asked.length === 32)
  truncateSync(path, 100)
  loop.answer()
  await loop.until(() => loop.of(1).length > 1)
  expect(loop.of(1)).toEqual(['start', 'error engine_failed'])
  expect(loop.lines).toEqual(['request failed: the recording ends before its last sample'])
})

test('threads are between one and what there is', () => {
  const { loop, turnstile } = startLoop()
  const limits = [0, 1, 3, 9].map((count) => {
    loop.useThreads(count)
    return turnstile.limit
  })
  expect(limits).toEqual([1, 1, 3, 4])
  expect(loop.stats().threads).toBe(4)
})
