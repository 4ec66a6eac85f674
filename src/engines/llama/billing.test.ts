/** Requests are charged for exactly the tokens that the engine computed, on the real starter model. */
import { expect, test } from 'bun:test'
import { join } from 'node:path'
import fc from 'fast-check'
import type { Sampling } from '../../core/chat.ts'
import type { Usage } from '../../core/usage.ts'
import { nothingConsumed } from '../../core/usage.ts'
import { fileVocabulary } from '../../testing/gguf/file-vocabulary.ts'
import { estimateOf, lastOf, upTo } from '../../testing/grants.ts'
import { endBias, type Question, startStarterEngine } from '../../testing/starter-engine.ts'
import type { Estimate } from '../protocol/request-events.ts'

const longText = Array.from({ length: 60 }, (_, index) => `word${index}`).join(' ')
const endless: Sampling = { temperature: 0, logitBias: endBias }

function usageOf(end: object): Usage {
  if ('usage' in end) return end.usage as Usage // a reply
  if ('promptTokens' in end) return end as Usage // a cancelled request
  throw new Error(`no usage: ${JSON.stringify(end)}`)
}

type Engine = Awaited<ReturnType<typeof startStarterEngine>>

/** Compares the sum over requests with the engine's own counters. */
function expectExact({ engine }: Engine, usages: readonly Usage[]): void {
  const sum = (count: (usage: Usage) => number) => usages.reduce((total, usage) => total + count(usage), 0)
  const { decodedPromptTokens, reusedPromptTokens, generatedTokens, running, waiting } = engine.stats()
  expect({
    prompt: sum((usage) => usage.promptTokens),
    cached: sum((usage) => usage.cachedTokens),
    completion: sum((usage) => usage.completionTokens),
    running,
    waiting,
  }).toEqual({
    prompt: decodedPromptTokens + reusedPromptTokens,
    cached: reusedPromptTokens,
    completion: generatedTokens,
    running: 0,
    waiting: 0,
  })
  for (const usage of usages) {
    expect(usage.cachedTokens).toBeLessThanOrEqual(usage.promptTokens)
    expect(usage.reasoningTokens).toBeLessThanOrEqual(usage.completionTokens)
  }
}

test('requests cancelled in the middle of a long prompt pay for the part that was processed', async () => {
  const started = await startStarterEngine({ batchTokens: 16 })
  const { engine, send, cancel } = started
  const usages: Usage[] = []
  for (const steps of [0, 1, 2, 4, 7]) {
    // Each request has another account, so that nothing is cached.
    const before = engine.stats().decodedPromptTokens
    const begun = Promise.withResolvers<void>()
    const { id, ended } = send({ text: longText, maxTokens: 5 }, `acc_${steps}`, () => begun.resolve())
    await begun.promise
    const target = engine.stats().steps + steps
    while (engine.stats().steps < target) await new Promise(setImmediate)
    cancel(id)
    const usage = usageOf(await ended)
    usages.push(usage)
    expect(usage).toMatchObject({ cachedTokens: 0, completionTokens: 0 })
    expect(usage.promptTokens).toBe(engine.stats().decodedPromptTokens - before)
    expect(usage.promptTokens).toBeGreaterThanOrEqual(16 * steps)
    expect(usage.promptTokens).toBeLessThan(240)
  }
  expectExact(started, usages)
})

test('a request cancelled before its first step pays for what was cached of its prompt', async () => {
  const started = await startStarterEngine({ batchTokens: 16 })
  const { send, cancel } = started
  const first = await started.ask({ text: longText, maxTokens: 1 }, 'acc_a')
  // An account's prompts of similar length are processed one after the other: the first steps belong to the other
  // prompt.
  const other = send({ text: `other ${longText.repeat(4)}`, maxTokens: 1 }, 'acc_a')
  const { id, ended } = send({ text: longText.repeat(5), maxTokens: 5 }, 'acc_a', () => cancel(id))
  const usage = usageOf(await ended)
  // The prompts differ from the last word and the end of the turn on.
  const cachedTokens = first.usage.promptTokens - 9
  expect(usage).toEqual({
    ...nothingConsumed,
    promptTokens: cachedTokens,
    cachedTokens,
    completionTokens: 0,
    reasoningTokens: 0,
  })
  expectExact(started, [first.usage, usageOf(await other.ended), usage])
})

test('a request cancelled in the middle of its answer, and one token before its end, pays for what it has', async () => {
  const started = await startStarterEngine()
  const usages: Usage[] = []
  for (const tokens of [1, 12, 19]) {
    let deltas = 0
    const { id, ended } = started.send({ sampling: endless, maxTokens: 20, topLogprobs: 0 }, 'acc_a', (event) => {
      if (event.type !== 'text-delta') return
      deltas += event.logprobs?.length ?? 0
      if (deltas === tokens) started.cancel(id)
    })
    const usage = usageOf(await ended)
    usages.push(usage)
    expect(usage.completionTokens).toBe(tokens) // the one that the step in flight samples is dropped
    expect(deltas).toBe(tokens)
  }
  expectExact(started, usages)
})

test('whenever requests are cancelled, the sum of what they used is what was computed', async () => {
  const started = await startStarterEngine({ batchTokens: 32, parallel: 4, contextTokens: 4096 })
  const { engine, send, cancel } = started
  const requests = fc.array(
    fc.record({
      account: fc.constantFrom('acc_a', 'acc_b'),
      isLong: fc.boolean(),
      choices: fc.constantFrom(1, 1, 1, 3),
      maxTokens: fc.integer({ min: 1, max: 24 }),
      isThinking: fc.boolean(),
      cancelAfter: fc.option(fc.integer({ min: 0, max: 40 })),
    }),
    { minLength: 1, maxLength: 7 },
  )
  const usages: Usage[] = []
  await fc.assert(
    fc.asyncProperty(requests, async (all) => {
      const ends = all.map(async ({ account, isLong, isThinking, cancelAfter, ...request }, index) => {
        const text = isLong ? `${index} ${longText}` : 'Hello!'
        const reasoning = { mode: isThinking ? ('on' as const) : ('off' as const) }
        const { id, ended } = send({ text, reasoning, sampling: endless, ...request }, account)
        const target = engine.stats().steps + (cancelAfter ?? 0)
        let isOver = false
        const over = ended.finally(() => {
          isOver = true
        })
        while (cancelAfter !== null && !isOver && engine.stats().steps < target) await new Promise(setImmediate)
        if (cancelAfter !== null) cancel(id)
        usages.push(usageOf(await over))
      })
      await Promise.all(ends)
      expectExact(started, usages)
    }),
    { numRuns: 25, seed: 1 },
  )
  expect(usages.some(({ reasoningTokens }) => reasoningTokens > 0)).toBe(true)
  expect(usages.some(({ cachedTokens }) => cachedTokens > 0)).toBe(true)
}, 60_000)

test('an answer paid for piece by piece is the answer that is paid for at once', async () => {
  const question: Question = { text: 'What is the capital of France?', sampling: endless, maxTokens: 40, choices: 2 }
  const whole = await (await startStarterEngine()).ask(question)
  const prompts: Estimate[] = []
  const asked: number[] = []
  let granted = 0
  const give = (id: number) => {
    asked.push(pieces.engine.stats().generatedTokens)
    granted += 7
    pieces.engine.grant(id, granted >= 40 ? lastOf(2 * granted) : upTo(2 * granted)) // for two choices
  }
  const pieces = await startStarterEngine(
    {},
    {
      onPrepared: (id, prompt) => {
        prompts.push(prompt)
        give(id)
      },
      onWantsGrant: give,
    },
  )
  const answer = await pieces.ask(question)
  expect([answer.texts, answer.usage, answer.finish]).toEqual([whole.texts, whole.usage, whole.finish])
  expect(prompts).toEqual([estimateOf(whole.usage.promptTokens, 80)])
  expect(asked).toHaveLength(6) // 7, 14, … 42
  expectExact(pieces, [answer.usage])
})

test('an answer never has more than its grant, and goes on after others have used its place', async () => {
  const granted = new Map<number, number>()
  const paused = Promise.withResolvers<number>()
  const started = await startStarterEngine(
    { parallel: 1 },
    {
      onPrepared: (id) => {
        granted.set(id, id === 1 ? 6 : 30)
        started.engine.grant(id, id === 1 ? upTo(6) : lastOf(30))
      },
      onWantsGrant: (id) => paused.resolve(id),
    },
  )
  const { send, engine, ask } = started
  const first = send({ text: 'What is the capital of France?', sampling: endless, maxTokens: 20 }, 'acc_a')
  expect(await paused.promise).toBe(1)
  // There is only one sequence: the second answer gets it when the first has to wait.
  const second = await ask({ sampling: endless, maxTokens: 30 }, 'acc_b')
  expect(second.usage.completionTokens).toBe(30)
  expect(engine.stats()).toMatchObject({ generatedTokens: 36, running: 0, waiting: 1 })
  engine.grant(first.id, lastOf(12))
  const end = await first.ended
  expect(end).toMatchObject({ finish: ['length'], usage: { completionTokens: 12 } })
  const whole = await (await startStarterEngine()).ask({
    text: 'What is the capital of France?',
    sampling: endless,
    maxTokens: 12,
  })
  expect(end).toMatchObject({ texts: whole.texts })
})

test('nothing is computed before the first grant, and a cancel then costs nothing', async () => {
  const prepared: number[] = []
  const ready = Promise.withResolvers<void>()
  const started = await startStarterEngine(
    {},
    {
      onPrepared: (id) => {
        prepared.push(id)
        if (prepared.length === 2) ready.resolve()
      },
    },
  )
  const { engine, send, cancel } = started
  const requests = ['one', 'two', 'three'].map((text) => send({ text, maxTokens: 3 }, text))
  const [one, two, three] = requests
  cancel(three?.id ?? 0) // not even rendered
  await ready.promise
  expect(engine.stats()).toMatchObject({ steps: 0, running: 0, waiting: 2 })
  cancel(one?.id ?? 0)
  cancel(one?.id ?? 0)
  const nothing = { ...nothingConsumed, promptTokens: 0, cachedTokens: 0, completionTokens: 0, reasoningTokens: 0 }
  expect([await one?.ended, await three?.ended]).toEqual([nothing, nothing])
  engine.grant(one?.id ?? 0, lastOf(3)) // too late
  engine.grant(two?.id ?? 0, lastOf(3))
  expect(await two?.ended).toMatchObject({ usage: { completionTokens: 3 } })
  expect([prepared, engine.stats()]).toMatchObject([[1, 2], { generatedTokens: 3, running: 0, waiting: 0 }])
})

test('a count that is cancelled ends too', async () => {
  const started = await startStarterEngine()
  const counted = started.count({ text: longText })
  started.cancel(1)
  const nothing = { ...nothingConsumed, promptTokens: 0, cachedTokens: 0, completionTokens: 0, reasoningTokens: 0 }
  expect(await counted).toEqual(nothing)
})

test('an answer that its own constraints bring to an end is paid for like others, one without a token is refused', async () => {
  const started = await startStarterEngine()
  const { metadata } = await fileVocabulary(join(import.meta.dir, '../../../models/starter/starter-chat-q8_0.gguf'))
  const tokens = metadata.get('tokenizer.ggml.tokens')
  if (tokens?.type !== 'strings') throw new Error('a vocabulary is a list of texts')
  const ban = (isBanned: (text: string) => boolean): Sampling => ({
    temperature: 0,
    logitBias: tokens.values.flatMap((text, id) => (isBanned(text) ? [[id, -100] as const] : [])),
  })
  const answerSchema = {
    type: 'object',
    properties: { a: { type: 'string', minLength: 20, maxLength: 40 }, b: { enum: [7] } },
    required: ['a', 'b'],
    additionalProperties: false,
  }
  const end = await started.send({
    text: 'Hello!',
    sampling: ban((text) => text.includes('7')),
    maxTokens: 200,
    answerSchema,
  }).ended
  const usage = usageOf(end)
  expect(usage.completionTokens > 5 && usage.completionTokens < 200).toBe(true)
  expect(end).toMatchObject({ finish: ['length'] })
  expectExact(started, [usage])
  const nothing = await started.refused({ text: 'Hello!', sampling: ban(() => true), maxTokens: 5 })
  expect(nothing).toMatchObject({ kind: 'invalid_request', code: 'invalid_value' })
})
