/** Simultaneous prompts of one account that begin alike; the test ends each step. */
import { expect, test } from 'bun:test'
import { upTo } from '../../../testing/grants.ts'
import { everything, startHeldLoop } from '../../../testing/held-loop.ts'

const beginning = Array.from({ length: 200 }, (_, index) => index)
const prompt = (more: number) => [...beginning, more, more, more]

function start(isUnified = true) {
  const held = startHeldLoop({ sequences: 3, batchTokens: 80, sharesPrompts: true, isUnified })
  const add = (id: number, units: number[], account = 'a') => held.add(id, units, everything, 1, account)
  /** Returns the number of units that each sequence is decoding. */
  const decoding = () => {
    const sequences = [...(held.steps.at(-1)?.batch.sequences ?? [])]
    return Object.entries(Object.groupBy(sequences, String)).map(([sequence, entries]) => [
      Number(sequence),
      entries?.length,
    ])
  }
  const cached = (id: number) =>
    held.told(id).flatMap((item) => ('event' in item && item.event.type === 'start' ? item.event.cachedTokens : []))
  return { ...held, add, decoding, cached }
}

test('the beginning is computed once, by the request that came first', async () => {
  const { add, decoding, goOn, cached } = start()
  add(1, prompt(7))
  add(2, prompt(8))
  add(3, prompt(9))
  expect(decoding()).toEqual([[0, 80]])
  await goOn()
  expect(decoding()).toEqual([[0, 80]])
  await goOn()
  expect([decoding(), cached(1), cached(2)]).toEqual([[[0, 43]], [0], []])
  await goOn()
  expect(decoding()).toEqual([
    [0, 1],
    [1, 3],
    [2, 3],
  ])
  expect([cached(2), cached(3)]).toEqual([[200], [200]])
})

test('with a cache for each it is computed once too', async () => {
  const { add, decoding, goOn, cached } = start(false)
  add(1, prompt(7))
  add(2, prompt(8))
  await goOn(2)
  expect(decoding()).toEqual([[0, 43]])
  await goOn(3)
  expect([cached(1), cached(2)]).toEqual([[0], [200]])
})

test('with a cache for each nobody waits for less than a copy takes', async () => {
  const { add, goOn, cached } = start(false)
  add(1, beginning)
  add(2, [...beginning.slice(0, 120), 500, 501])
  await goOn()
  expect(cached(2)).toEqual([0])
})

test('other accounts wait for nothing', () => {
  const { add, decoding, goOn } = start()
  add(1, prompt(7), 'a')
  add(2, prompt(8), 'b')
  return goOn().then(() =>
    expect(decoding()).toEqual([
      [0, 40],
      [1, 40],
    ]),
  )
})

test('a prompt that has little in common with the first one does not wait for it', async () => {
  const { add, goOn, cached } = start()
  add(1, [...beginning.slice(0, 60), ...beginning])
  add(2, [...beginning.slice(0, 60), 500, 501])
  await goOn()
  expect(cached(2)).toEqual([60])
})

test('those that wait go on from what was computed when the first one is cancelled', async () => {
  const { loop, add, decoding, goOn, cached } = start()
  add(1, prompt(7))
  add(2, prompt(8))
  add(3, prompt(9))
  await goOn()
  loop.cancel(1)
  await goOn()
  expect([decoding()[0], cached(2), cached(3)]).toEqual([[0, 43], [160], [160]])
})

test('another account gets the slot of one that waits, and nothing that was computed is put off', async () => {
  const { add, decoding, goOn, cached } = start()
  for (const id of [1, 2, 3]) add(id, prompt(id))
  await goOn()
  add(4, [700, 701, 702], 'b')
  await goOn()
  expect(decoding()).toEqual([
    [0, 43],
    [2, 3],
  ])
  expect(cached(4)).toEqual([0])
})

test('they do not wait for one that waits for its account to pay', async () => {
  const held = startHeldLoop({ sequences: 3, batchTokens: 80, sharesPrompts: true })
  held.add(1, prompt(7), upTo(1), 1, 'a')
  await held.goOn(3)
  expect(held.decoding()).toEqual([])
  // The answer has its one token: nobody may wait for more of its text.
  held.add(2, [...prompt(7), 100, ...beginning], everything, 1, 'a')
  expect(held.decoding()).toEqual([1])
})
