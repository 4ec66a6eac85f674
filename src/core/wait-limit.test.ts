import { expect, test } from 'bun:test'
import { ManualClock } from '../testing/manual-clock.ts'
import { WaitLimit } from './wait-limit.ts'

/** Makes a limit, its clock, and a list of the limits that were exceeded. */
function newLimit() {
  const clock = new ManualClock()
  const over: string[] = []
  const limit = new WaitLimit(clock)
  const begin = (limitMs: number, name = 'limit') => limit.begin(limitMs, () => over.push(name))
  /** Waits for `ms`, then gets the awaited data. */
  const wait = async (ms: number) => {
    const { promise, resolve } = Promise.withResolvers<void>()
    const waited = limit.wait(promise)
    clock.pass(ms)
    resolve()
    await waited
  }
  const waitForever = () => void limit.wait(new Promise(() => undefined))
  return { clock, over, limit, begin, wait, waitForever }
}

test('only the time that is waited counts, in one wait or in many', async () => {
  const { clock, over, begin, wait, waitForever } = newLimit()
  begin(100)
  for (let count = 0; count < 3; count++) {
    await wait(20)
    clock.pass(40)
  }
  waitForever()
  clock.pass(39)
  expect(over).toEqual([])
  clock.pass(1)
  expect(over).toEqual(['limit'])
})

test('progress begins the time anew', async () => {
  const { over, limit, begin, wait } = newLimit()
  begin(60)
  for (let count = 0; count < 5; count++) {
    await wait(30)
    limit.progress()
  }
  expect(over).toEqual([])
})

test('a limit that begins while something is waited for holds from then on', () => {
  const { clock, over, begin, waitForever } = newLimit()
  begin(10_000, 'first')
  waitForever()
  begin(10, 'second')
  clock.pass(20_000)
  expect(over).toEqual(['second'])
})

test('a limit that has ended is over for nobody', () => {
  const { clock, over, limit, begin, waitForever } = newLimit()
  begin(10)
  waitForever()
  limit.end()
  clock.pass(20)
  expect(over).toEqual([])
  expect(clock.pending).toBe(0)
})
