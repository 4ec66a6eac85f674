/** Steps that the addon begins behind others; the test ends each of them. */
import { expect, test } from 'bun:test'
import type { ChatEvent } from '../../../core/chat.ts'
import { nothingConsumed } from '../../../core/usage.ts'
import { outputTokens, startHeldLoop } from '../../../testing/held-loop.ts'
import type { RequestEvent } from '../../protocol/request-events.ts'
import type { NativeSample } from '../native.ts'

const ok = (...samples: NativeSample[]) => ({ kind: 'ok', samples: samples.map((sample) => [sample]) }) as const
const tokensOf = ({ steps }: Pick<ReturnType<typeof startHeldLoop>, 'steps'>) =>
  steps.map(({ batch }) => [...batch.tokens])
const textOf = (events: readonly RequestEvent<ChatEvent>[], id: number) =>
  JSON.stringify(events.filter((each) => each.id === id).map((each) => ('event' in each ? each.event : each)))

test('answers go on by themselves, and each token is told once', async () => {
  const held = startHeldLoop({ goesOn: true })
  held.add(1, [10, 11])
  await held.end(ok({ token: 30, text: 'a' }))
  await held.end(ok({ token: 31, text: 'b' }))
  await held.end(ok({ token: 32, text: 'c' }))
  await held.end(ok({ token: 33, text: 'd', end: 'end-of-generation' }))
  expect(tokensOf(held)).toEqual([[10, 11], [30], [31], [32]])
  expect([...(held.steps[3]?.batch.positions ?? [])]).toEqual([4])
  for (const text of ['a', 'b', 'c', 'd']) expect(textOf(held.emitted, 1).split(`"text":"${text}"`)).toHaveLength(2)
  expect(held.emitted.at(-1)).toMatchObject({ event: { type: 'finish', usage: { completionTokens: 4 } } })
  expect(held.loop.stats()).toMatchObject({ steps: 4, generatedTokens: 4, running: 0 })
})

test('a request that comes during a step is in the next one', async () => {
  const held = startHeldLoop({ goesOn: true })
  held.add(1, [10, 11])
  await held.goOn(3)
  held.add(2, [20, 21])
  await held.end(ok({ token: 40, text: 'a' }))
  expect(tokensOf(held).at(-1)).toEqual([40, 20, 21])
})

test('answers go on by themselves while others wait for a slot, until one has its turn', async () => {
  const held = startHeldLoop({ goesOn: true })
  const areBehind = (from: number) =>
    held.steps.slice(from).every(({ batch }, index) => batch.outputs === held.steps[from + index - 1]?.batch.outputs)
  held.add(1, [10, 11], undefined, 1, 'acc_one')
  held.add(2, [20, 21], undefined, 1, 'acc_two')
  held.add(3, [30, 31], undefined, 1, 'acc_two')
  await held.goOn(20)
  expect(areBehind(3)).toBe(true)
  held.loop.cancel(2)
  await held.goOn(1)
  expect(tokensOf(held).at(-1)).toEqual([100, 30, 31])
})

test('an answer that has had its turn gives its slot to an account without any', async () => {
  const held = startHeldLoop({ goesOn: true })
  held.add(1, [10, 11], undefined, 1, 'acc_one')
  held.add(2, [20, 21], undefined, 1, 'acc_two')
  held.add(3, [30, 31], undefined, 1, 'acc_three')
  await held.goOn(80)
  expect(tokensOf(held).filter((tokens) => tokens.includes(30))).toHaveLength(1)
  expect(tokensOf(held).findIndex((tokens) => tokens.includes(30))).toBeLessThanOrEqual(71)
})

test('a request that is cancelled during a step is in no later one, and pays what was computed', async () => {
  const held = startHeldLoop({ goesOn: true })
  held.add(1, [10, 11])
  held.add(2, [20, 21])
  await held.goOn(3)
  held.loop.cancel(2)
  await held.end(ok({ token: 40, text: 'a' }, { token: 41, text: 'b' }))
  expect(tokensOf(held).at(-1)).toEqual([40])
  expect(held.emitted.find((each) => 'cancelled' in each)).toMatchObject({ id: 2, cancelled: { completionTokens: 2 } })
})

test('a request that is cancelled when the step behind has begun leaves what was decoded, and no other token', async () => {
  const held = startHeldLoop({ goesOn: true, sharesPrompts: true, batchTokens: 64 })
  const prompt = Array.from({ length: 40 }, (_, index) => 10 + index)
  held.add(1, [1, 2])
  held.add(2, prompt, undefined, 1, 'acc_two')
  await held.end(ok({ token: 59, text: 'a' }))
  await held.end(ok({ token: 60, text: 'a' }, { token: 70, text: 'a' }))
  const ended = held.end(ok({ token: 61, text: 'a' }, { token: 71, text: 'a' }))
  held.loop.cancel(2) // 71 is being decoded, but the loop has not read it yet
  await ended
  expect(tokensOf(held).at(-1)).toEqual([61, 71])
  await held.end(ok({ token: 62, text: 'a' }, { token: 72, text: 'a' }))
  held.add(3, [...prompt, 70, 70, 80], undefined, 1, 'acc_two')
  await held.end(ok({ token: 63, text: 'a' }))
  expect(tokensOf(held).at(-1)).toEqual([63, 70, 80])
})

test('an answer whose text ends it counts nothing of the step that has begun behind it', async () => {
  const held = startHeldLoop({ goesOn: true })
  held.add(1, [10, 11], undefined, 1, 'a', ['stop'])
  await held.goOn(2)
  await held.end(ok({ token: 40, text: 'stop' }))
  expect(held.emitted.at(-1)).toMatchObject({ event: { type: 'finish', usage: { completionTokens: 3 } } })
  await held.end(ok({ token: 41, text: 'never seen' }))
  expect(textOf(held.emitted, 1)).not.toContain('never seen')
  expect(held.loop.isIdle).toBe(true)
})

test('no answer has a token that was not granted', async () => {
  const held = startHeldLoop({ goesOn: true })
  const grant = (completionTokens: number) => ({ limit: { ...nothingConsumed, completionTokens }, isFinal: false })
  held.add(1, [10, 11], grant(3))
  await held.goOn(3)
  expect(held.steps).toHaveLength(3)
  held.loop.grant(1, grant(5))
  await held.goOn(2)
  expect(held.steps).toHaveLength(5)
  expect(held.loop.stats().generatedTokens).toBe(5)
})

test('a cache that is full is found out before anything is made room for', async () => {
  const held = startHeldLoop({ goesOn: true })
  held.add(1, [10, 11])
  await held.goOn(2)
  await held.end({ kind: 'cache-full' })
  // The step is planned again, perhaps for another layout. Only if that fails the answer has reached its end.
  expect(tokensOf(held).at(-1)).toEqual([100])
  await held.end({ kind: 'cache-full' })
  expect(held.emitted.at(-1)).toMatchObject({ event: { type: 'finish', usage: { completionTokens: 2 } } })
})

test('another number of threads counts from the next step on', async () => {
  const held = startHeldLoop({ goesOn: true })
  held.add(1, [10, 11])
  await held.goOn(3)
  held.loop.useThreads(2)
  await held.goOn(1)
  expect(held.steps.at(-1)?.threads).toBe(2)
})

test('another number of threads ends steps that have begun by themselves', async () => {
  const held = startHeldLoop({ goesOn: true })
  held.add(1, [10, 11])
  await held.goOn(3)
  const ended = held.end(ok({ token: 40, text: 'a' }))
  held.loop.useThreads(2) // the next step runs already
  await ended
  await held.goOn(1)
  expect(held.steps.at(-1)?.threads).toBe(2)
})

test('what a text repeats is proposed, and answers go on by themselves until then', async () => {
  const held = startHeldLoop({ goesOn: true, draftRows: 8, batchTokens: 64 })
  const prompt = Array.from({ length: 60 }, (_, index) => 1 + index)
  held.add(1, prompt)
  for (const token of [90, 91, 92]) await held.end(ok({ token, text: 'a' }))
  expect(held.steps).toHaveLength(4)
  for (let token = 1; token < 50 && tokensOf(held).at(-1)?.length === 1; token++)
    await held.end(ok({ token, text: 'a' }))
  const [last, ...proposed] = tokensOf(held).at(-1) ?? []
  expect(proposed.length).toBeGreaterThan(0)
  expect(proposed).toEqual(proposed.map((_, index) => (last ?? 0) + 1 + index))
})

test('no step begins behind the last token that an answer may have', async () => {
  const held = startHeldLoop({ goesOn: true })
  held.add(1, [10, 11])
  await held.goOn(outputTokens)
  expect(held.steps).toHaveLength(outputTokens)
  expect(held.emitted.at(-1)).toMatchObject({ event: { type: 'finish', usage: { completionTokens: outputTokens } } })
})
