/**
 * Random requests with pictures, over a simulated cache that records the content of each place. Whatever was cut,
 * copied, parked, restored, put off or cancelled before, each token is sampled after exactly the prompt and the answer
 * so far, at their positions.
 */
import { expect, test } from 'bun:test'
import type { ChatEvent } from '../../../core/chat.ts'
import { everything, newAnswer } from '../../../testing/held-loop.ts'
import { type LaidPicture, layoutOf } from '../../../testing/prompt-layouts.ts'
import { type Cell, recordedContext } from '../../../testing/recorded-context.ts'
import { Random } from '../../../testing/scheduler/random.ts'
import { embeddingOf, scriptedProjector } from '../../../testing/scripted-projector.ts'
import type { RequestEvent } from '../../protocol/request-events.ts'
import type { Answer } from '../answer/answer.ts'
import type { NativeSampler } from '../native.ts'
import type { NativePicture } from '../native-projector.ts'
import { MoveWorth } from './processor.ts'
import { runAt } from './prompt-layout.ts'
import { Sequences } from './sequences.ts'
import { StepLoop } from './step-loop.ts'

interface Model {
  readonly hasManyDimensions?: boolean
  readonly isNonCausal?: boolean
  readonly isRecurrent?: boolean
  readonly slidingWindowTokens?: number
}

/** Makes pictures. With several dimensions the position grows by the longer side. */
function poolOf({ hasManyDimensions = false }: Model): LaidPicture[] {
  return [
    { name: 'cat', entries: 8, parts: 1 },
    { name: 'dog', entries: 24, parts: 1 },
    { name: 'map', entries: 6, parts: 3 },
  ].map((picture) => ({ ...picture, positions: hasManyDimensions ? picture.entries / 2 : picture.entries }))
}

/** Returns the expected content of the cache from the prompt alone, place by place. */
function cellsOf({ units, runs }: Pick<Answer, 'units' | 'runs'>, hasManyDimensions: boolean): Cell[] {
  const cells: Cell[] = []
  let position = 0
  for (let place = 0; place < units.length; place++) {
    const run = runAt(runs, place)
    if (run === undefined) {
      cells.push({ position: position++, value: units[place] ?? Number.NaN })
      continue
    }
    for (let entry = 0; entry < run.entries; entry++) {
      const value = embeddingOf(run.picture.key, run.part, entry)
      cells.push({ position: position + (hasManyDimensions ? 0 : entry), value })
    }
    position += run.positions
    place += run.entries - 1
  }
  return cells
}

const texts = [
  'You are helpful. Answer in one word, please.',
  'Look here: ',
  'And at this: ',
  'a',
  ' What is it? Say it twice.',
]

/** Runs some requests to their ends. Returns each one's last event, and the number of checked samples. */
async function runHistory(seed: number, model: Model) {
  const random = new Random(seed)
  const below = (count: number) => Math.floor(random.next() * count)
  const { hasManyDimensions = false, isRecurrent = false, slidingWindowTokens = 0, isNonCausal = false } = model
  const pool = poolOf(model)
  const bySampler = new Map<NativeSampler, { readonly answer: Answer; readonly chosen: number[] }>()
  let checked = 0
  let nowMs = 0
  const sample = (cells: readonly Cell[], sampler: NativeSampler) => {
    const { answer, chosen } = bySampler.get(sampler) ?? {}
    if (answer === undefined || chosen === undefined) throw new Error('a sampler of no answer')
    // After correct proposals the answer does not have its last tokens yet.
    const units = [...Array.from(answer.prompt.units), ...chosen]
    expect(units.slice(0, answer.units.length)).toEqual(answer.units)
    const wanted = cellsOf({ units, runs: answer.runs }, hasManyDimensions)
    // With a window, only the places that the last token attends to must be there.
    const from = slidingWindowTokens === 0 ? 0 : (wanted.at(-1)?.position ?? 0) - slidingWindowTokens + 1
    const seen = (all: readonly Cell[]) => all.filter(({ position }) => position >= from)
    expect(seen(cells)).toEqual(seen(wanted))
    checked++
    const token = random.isOneOf(4) ? 65 + below(3) : 65 + (chosen.length % 3)
    chosen.push(token)
    return token
  }
  const count = 3
  const isUnified = !random.isOneOf(3)
  const context = recordedContext({
    ...{ sequences: count, hasManyDimensions, isRecurrent, slidingWindowTokens },
    // Separate caches are never filled by other sequences.
    isFull: () => isUnified && random.isOneOf(40),
    sample,
  })
  const scripted = scriptedProjector({ pictures: pool, hasManyDimensions })
  const told = new Map<number, RequestEvent<ChatEvent>>()
  const allTold = Promise.withResolvers<void>()
  const requests = 12
  const ends = new Set<number>()
  const moveWorth = random.isOneOf(2) ? new MoveWorth() : undefined
  const loop = new StepLoop({
    ...{ context, moveWorth },
    sequences: new Sequences({
      ...{ context, count, isRecurrent, slidingWindowTokens, moveWorth },
      nowMs: () => nowMs++,
      shareCache: random.isOneOf(3),
      isUnified,
      parkedBytes: [0, 3_000, 1_000_000][below(3)] ?? 0,
    }),
    pictures: {
      projector: {
        isNonCausal,
        prepare: async (picture: NativePicture) => {
          for (let wait = below(9); wait > 0; wait--) await Promise.resolve()
          return scripted.prepared(picture)
        },
        drop: scripted.drop,
        encode: async (numbers: readonly number[]) => numbers.slice(0, 1 + below(3)).map(scripted.encoded),
      },
      suspects: new Set(random.isOneOf(4) ? ['cat', 'broken'] : []),
      cacheBytes: [0, 300, 10_000][below(3)] ?? 0,
      preparedBytes: [0, 150, 10_000][below(3)] ?? 0,
      shareCache: false,
    },
    batchTokens: isNonCausal ? 32 : 4 + below(30),
    tileRows: random.isOneOf(2) ? 8 : 1,
    draftLimits: { rows: isRecurrent ? 0 : below(3) * 8, mostEach: Number.POSITIVE_INFINITY, headTokens: undefined },
    threads: 1,
    emit: (events) => {
      for (const event of events) {
        expect(ends).not.toContain(event.id)
        told.set(event.id, event)
        const isEnd = 'cancelled' in event || 'error' in event || ('event' in event && event.event.type === 'finish')
        if (isEnd) ends.add(event.id)
      }
      if (ends.size === requests) allTold.resolve()
    },
    onFatal: allTold.reject,
    nowMs: () => nowMs++, // each step costs the same, so that all that may be right is proposed
  })
  const prompts = new Map<number, number>()
  const add = (id: number) => {
    const contents: (string | LaidPicture)[] = []
    for (let part = 0; part < 1 + below(5); part++) {
      contents.push(texts[below(texts.length)] ?? '')
      while (random.isOneOf(2)) contents.push(pool[below(pool.length)] ?? '')
    }
    const broken: LaidPicture = { name: 'broken', entries: 5 }
    if (random.isOneOf(10)) contents.push(broken)
    const layout = layoutOf(...contents, random.isOneOf(4) ? '' : '!')
    const answers = Array.from({ length: 1 + below(3) }, (_, choice) => newAnswer(choice, layout, 1 + below(30)))
    for (const answer of answers) bySampler.set(answer.sampler, { answer, chosen: [] })
    const promptTokens = layout.units.length
    prompts.set(id, promptTokens)
    const accountId = `acc_${below(2)}`
    loop.add({ id, accountId, promptTokens, outputTokens: 30, isConstrained: false, answers }, everything)
  }
  for (let id = 1; id <= requests; id++) {
    add(id)
    for (let wait = below(30); wait > 0; wait--) await Promise.resolve()
    if (random.isOneOf(5)) loop.cancel(1 + below(id))
    if (random.isOneOf(2)) await new Promise((resolve) => setImmediate(resolve))
  }
  await allTold.promise
  await new Promise((resolve) => setImmediate(resolve))
  expect(scripted.ready()).toEqual([])
  return { told, prompts, checked, stats: loop.stats() }
}

const models: readonly (readonly [string, Model])[] = [
  ['plain positions', {}],
  ['positions of several dimensions', { hasManyDimensions: true }],
  ['pictures whose entries see each other', { isNonCausal: true }],
  ['such pictures and positions of several dimensions', { isNonCausal: true, hasManyDimensions: true }],
  ['a sliding window', { slidingWindowTokens: 20 }],
  ['a sliding window and positions of several dimensions', { slidingWindowTokens: 20, hasManyDimensions: true }],
  ['recurrent memory', { isRecurrent: true }],
]

test.each(models)('each answer follows exactly its prompt: %s', async (_, model) => {
  let samples = 0
  let accepted = 0
  for (let seed = 1; seed <= 15; seed++) {
    const { told, prompts, checked, stats } = await runHistory(seed, model)
    samples += checked
    accepted += stats.acceptedTokens ?? 0
    expect(stats).toMatchObject({ running: 0, waiting: 0 })
    let processed = 0
    for (const [id, last] of told) {
      if ('event' in last && last.event.type === 'finish') {
        expect(last.event.usage.promptTokens).toBe(prompts.get(id) ?? 0)
        processed += last.event.usage.promptTokens
      } else if ('cancelled' in last) processed += last.cancelled.promptTokens
      else expect(last).toMatchObject({ error: { code: 'invalid_image', param: expect.stringContaining('picture') } })
    }
    expect(processed).toBeLessThanOrEqual(stats.decodedPromptTokens + stats.reusedPromptTokens)
  }
  expect(samples).toBeGreaterThan(400)
  if (model.isRecurrent !== true) expect(accepted).toBeGreaterThan(20)
})
