/** A cache for each sequence: answers and prompts are decoded in turn. */
import { expect, test } from 'bun:test'
import { everything, startHeldLoop } from '../../../testing/held-loop.ts'

/** Rows of each step by sequence, including the step in flight. */
const rowsOf = ({ steps }: ReturnType<typeof startHeldLoop>) =>
  steps.map(({ batch }) =>
    [...Map.groupBy(batch.sequences, (sequence) => sequence)].map(([key, rows]) => [key, rows.length]),
  )

test('an answer goes on before and after each step of prompts', async () => {
  const held = startHeldLoop({ isUnified: false })
  held.add(1, [10, 11, 12])
  await held.goOn()
  held.add(2, [20, 21])
  await held.goOn(3)
  expect(rowsOf(held)).toEqual([
    [[0, 3]],
    [[0, 1]],
    [[1, 2]],
    [
      [0, 1],
      [1, 1],
    ],
    [
      [0, 1],
      [1, 1],
    ],
  ])
})

test('an answer that was put off for a full cache is a prompt until all of it is decoded again', async () => {
  const held = startHeldLoop({ isUnified: false, sequences: 3 })
  for (const id of [1, 2, 3]) held.add(id, [10 * id])
  await held.goOn(4)
  await held.end({ kind: 'cache-full' })
  held.loop.cancel(2)
  await held.goOn()
  expect(held.decoding()).toEqual([1])
  expect([...(held.steps.at(-1)?.batch.tokens ?? [])]).toEqual([30, 101, 102])
  await held.goOn()
  expect(held.decoding()).toEqual([0, 1])
})

test('a prompt that finds the cache full waits until another answer has ended', async () => {
  const held = startHeldLoop({ isUnified: false })
  held.add(1, [10])
  await held.goOn()
  held.add(2, [20, 21])
  await held.goOn()
  expect(held.decoding()).toEqual([1])
  await held.end({ kind: 'cache-full' })
  await held.goOn(3)
  expect(held.decoding()).toEqual([0])
  held.loop.cancel(1)
  await held.goOn(2)
  expect(held.textTokens(2)).toBe(1)
})

test('choices share a prompt, and go on together behind it', async () => {
  const held = startHeldLoop({ isUnified: false, sequences: 3 })
  held.add(1, [10])
  await held.goOn()
  held.add(2, [20, 21], everything, 2)
  await held.goOn(2)
  expect(rowsOf(held).slice(1)).toEqual([
    [[0, 1]],
    [[1, 2]],
    [
      [0, 1],
      [1, 1],
      [2, 1],
    ],
  ])
})

test('tokens are proposed for an answer while a prompt waits for its next step', async () => {
  const held = startHeldLoop({ isUnified: false, draftRows: 8, batchTokens: 8 })
  const copied = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]
  held.add(1, [...copied, ...copied.slice(0, 4)])
  await held.goOn()
  await held.end({ kind: 'ok', samples: [[{ token: 5, text: 'a' }]] })
  held.add(2, new Array<number>(30).fill(20))
  await held.end({ kind: 'ok', samples: [[{ token: 6, text: 'a' }]] })
  expect(held.decoding()).toEqual([1])
  await held.goOn()
  expect([held.decoding(), held.textTokens(2)]).toEqual([[0], 0])
  expect(held.steps.at(-1)?.batch.outputs[0]?.drafts).toBeGreaterThan(0)
})

test('nothing is proposed for one of several answers in a step, unless they share a cache', async () => {
  const copied = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]
  const proposed = async (isUnified: boolean) => {
    const held = startHeldLoop({ isUnified, draftRows: 8 })
    for (const id of [1, 2]) held.add(id, [...copied, ...copied.slice(0, 4)])
    for (let step = 0; step < 4; step++) {
      const samples = held.steps.at(-1)?.batch.outputs.map(() => [{ token: 5 + step, text: 'a' }]) ?? []
      await held.end({ kind: 'ok', samples })
    }
    const several = held.steps.filter(({ batch }) => new Set(batch.sequences).size > 1)
    expect(several.length).toBeGreaterThan(0)
    return several.some(({ batch }) => batch.outputs.some(({ drafts = 0 }) => drafts > 0))
  }
  expect(await proposed(false)).toBe(false)
  expect(await proposed(true)).toBe(true)
})
