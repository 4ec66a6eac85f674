/** Results of proposed tokens; the test ends each step with the chosen tokens. */
import { expect, test } from 'bun:test'
import { lastOf, upTo } from '../../../testing/grants.ts'
import { type HeldLoopOptions, newAnswer, startHeldLoop } from '../../../testing/held-loop.ts'
import { Drafts } from './drafts/drafts.ts'
import type { Slot } from './slot.ts'

const start = (options: HeldLoopOptions = {}) => startHeldLoop({ draftRows: 8, batchTokens: 64, ...options })

/** Prompt whose last twenty units repeat its first twenty. */
const copying = [
  ...Array.from({ length: 40 }, (_, index) => 1 + index),
  ...Array.from({ length: 20 }, (_, index) => 1 + index),
]
const texts = (tokens: readonly number[]) => [tokens.map((token) => ({ token, text: 'a' }))]

/** Starts an answer to the prompt. Its first token is 21, so that 22 and the units after it are proposed. */
async function begun(held: ReturnType<typeof start>, grant = lastOf(100), stops: readonly string[] = []) {
  // First another request teaches the loop the cost of steps.
  held.add(9, [90, 91], lastOf(4))
  await held.goOn(4)
  held.add(1, copying, grant, 1, 'acc_1', stops)
  await held.end({ kind: 'ok', samples: texts([21]) })
  held.removed.length = 0
  return held
}

const last = ({ steps }: ReturnType<typeof start>) => steps.at(-1)?.batch

test('tokens that may come next are decoded with the last one, and those that are right are taken', async () => {
  const held = await begun(start())
  expect([...(last(held)?.tokens ?? [])]).toEqual([21, 22, 23, 24, 25, 26, 27, 28])
  expect(last(held)?.outputs).toMatchObject([{ entry: 0, drafts: 7 }])
  await held.end({ kind: 'ok', samples: texts([22, 23, 70]) })
  expect(held.removed).toEqual([[0, copying.length + 3]])
  expect([...(last(held)?.tokens ?? [])]).toEqual([70])
  expect([...(last(held)?.positions ?? [])]).toEqual([copying.length + 3])
  expect(held.loop.stats()).toMatchObject({
    generatedTokens: 8,
    draftedTokens: 7,
    acceptedTokens: 2,
    cacheTokens: copying.length + 3,
  })
})

test('where all are right nothing is removed', async () => {
  const held = await begun(start({ draftRows: 3 }))
  await held.end({ kind: 'ok', samples: texts([22, 23, 24]) })
  expect(held.removed).toEqual([])
  expect([...(last(held)?.tokens ?? [])]).toEqual([24, 25, 26])
  expect(held.textTokens(1)).toBe(4)
})

test('no more is proposed than an answer may have, and the last of its tokens is not', async () => {
  const held = await begun(start(), upTo(5))
  expect(last(held)?.outputs).toMatchObject([{ drafts: 3 }])
  await held.end({ kind: 'ok', samples: texts([22, 23, 24, 25]) })
  expect([held.doing(), held.textTokens(1)]).toEqual(['nothing', 5])
  held.loop.grant(1, lastOf(7))
  expect(last(held)?.outputs).toMatchObject([{ drafts: 1 }])
  await held.end({ kind: 'ok', samples: texts([26, 27]) })
  expect(held.told(1).at(-1)).toMatchObject({ event: { type: 'finish', usage: { completionTokens: 7 } } })
})

test('the last token that the limit of an answer allows is not proposed: its sampler holds nothing of what would follow', () => {
  const answer = newAnswer(0, { units: copying, runs: [] }, 4)
  const slot = { answer, request: { prepared: { answers: [answer] }, tokensLeft: () => 100 } } as unknown as Slot
  const drafts = new Drafts({ rows: 32, mostEach: 31, headTokens: undefined }, undefined)
  const proposed = [21, 22, 23, 24].map((token) => {
    answer.take({ token, text: 'a' })
    return drafts.propose(slot, 31).tokens
  })
  expect(proposed).toEqual([[22, 23], [23], [], []])
})

test('what was chosen behind the end of an answer counts for nothing', async () => {
  const held = await begun(start(), lastOf(100), ['stop'])
  const samples = [
    ['a', 22],
    ['stop', 23],
    ['b', 24],
  ].map(([text, token]) => ({ text: String(text), token: Number(token) }))
  await held.end({ kind: 'ok', samples: [samples] })
  expect(held.told(1).slice(-2)).toMatchObject([
    { event: { type: 'choice-finish', reason: 'stop', stopString: 'stop' } },
    { event: { type: 'finish', usage: { completionTokens: 3 } } },
  ])
  // The last token is never in the cache, with or without proposals.
  expect(held.removed).toEqual([[0, copying.length + 2]])
  expect(held.loop.stats()).toMatchObject({ generatedTokens: 7, cacheTokens: copying.length + 2 })
})

test('nothing of a step is told to a request that was cancelled meanwhile', async () => {
  const held = await begun(start())
  held.loop.cancel(1)
  await held.end({ kind: 'ok', samples: texts([22, 23, 24]) })
  expect(held.told(1).at(-1)).toMatchObject({ cancelled: { completionTokens: 1 } })
  expect(held.removed).toEqual([[0, copying.length + 1]])
})

test('an error ends the answer after the tokens in front of it', async () => {
  const held = await begun(start())
  await held.end({
    kind: 'ok',
    samples: [
      [
        { token: 22, text: 'a' },
        { token: -1, text: '', error: 'none' },
      ],
    ],
  })
  expect(held.textTokens(1)).toBe(2)
  expect(held.told(1).at(-1)).toMatchObject({ error: { code: 'engine_failed' } })
})

test('a full cache has no room for proposals before it has none for answers', async () => {
  const held = await begun(start())
  await held.end({ kind: 'cache-full' })
  expect([...(last(held)?.tokens ?? [])]).toEqual([21])
  await held.end({ kind: 'ok', samples: texts([22]) })
  expect([...(last(held)?.tokens ?? [])]).toEqual([22])
  expect(held.loop.stats()).toMatchObject({ running: 1, waiting: 0, draftedTokens: 0 })
})

test('nothing is proposed beside prompts', async () => {
  const held = await begun(start())
  held.add(2, [120, 121], lastOf(100))
  await held.end({ kind: 'ok', samples: texts([22, 23]) })
  expect([...(last(held)?.tokens ?? [])]).toEqual([23, 120, 121])
  await held.end({ kind: 'ok', samples: [...texts([24]), ...texts([130])] })
  const [mine, other] = last(held)?.outputs ?? []
  expect([(mine?.drafts ?? 0) > 0, other?.drafts]).toEqual([true, 0])
})
