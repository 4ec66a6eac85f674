/** Scripted histories: answers of given lengths arrive, and each step gives every answer that has a slot one token. */
import { expect, test } from 'bun:test'
import { WeightedFairQueue } from '../../../core/weighted-fair-queue.ts'
import { nextSlotMove, type SlotHolder } from './slot-sharing.ts'

interface Job {
  readonly accountId: string
  readonly addedStep: number
  left: number
  tokens: number
  turnTokens: number
  wasParked: boolean
  firstTokenStep?: number
}

function history(slots: number) {
  const waiting = new WeightedFairQueue<Job>()
  const jobs: Job[] = []
  let running: Job[] = []
  let step = 0
  let parked = 0
  const toHolder = (job: Job): SlotHolder & { job: Job } => ({ ...job, waitsForAnother: false, job })
  const nextMove = () =>
    waiting.size === 0
      ? undefined
      : nextSlotMove({
          hasRoom: running.length < slots,
          holders: running.map(toHolder),
          waiting: waiting.accounts(),
        })
  const settle = () => {
    for (let move = nextMove(); move !== undefined; move = nextMove()) {
      if (move.kind === 'park') {
        const { job } = move.holder
        running = running.filter((other) => other !== job)
        job.wasParked = true
        waiting.putBack(job.accountId, job, 1)
        parked++
      } else {
        const job = waiting.takeFrom(move.accountId)
        if (job === undefined) throw new Error(`nobody of ${move.accountId} waits`)
        job.turnTokens = 0
        running.push(job)
      }
    }
  }
  const add = (accountId: string, answers: number, tokens: number): Job[] => {
    const added = Array.from(
      { length: answers },
      (): Job => ({
        ...{ accountId, addedStep: step, left: tokens, tokens: 10, turnTokens: 0, wasParked: false },
      }),
    )
    for (const job of added) waiting.add(accountId, 1, job)
    jobs.push(...added)
    return added
  }
  const run = (steps: number) => {
    for (const end = step + steps; step < end; step++) {
      settle()
      for (const job of running) {
        job.left--
        job.tokens++
        job.turnTokens++
        job.firstTokenStep ??= step
      }
      running = running.filter(({ left }) => left > 0)
    }
  }
  const held = () =>
    Object.fromEntries(
      Map.groupBy(running, ({ accountId }) => accountId)
        .entries()
        .map(([id, own]) => [id, own.length]),
    )
  return { add, run, held, jobs, now: () => step, parked: () => parked }
}

test('an account alone has all slots', () => {
  const { add, run, held } = history(8)
  add('a', 12, 100)
  run(1)
  expect(held()).toEqual({ a: 8 })
})

test('an account that comes later has its share at once', () => {
  const { add, run, held } = history(8)
  add('a', 8, 1000)
  run(3)
  add('b', 8, 1000)
  run(1)
  expect(held()).toEqual({ a: 4, b: 4 })
  add('c', 1, 1000)
  run(1)
  expect(held()).toEqual({ a: 3, b: 4, c: 1 })
})

test('a short answer beside one account with long ones begins in its first step', () => {
  const { add, run, held, now } = history(8)
  add('a', 8, 1000)
  run(10)
  const [short] = add('b', 1, 3)
  run(3)
  expect(short?.firstTokenStep).toBe(10)
  expect(short?.left).toBe(0)
  run(1)
  expect([held(), now()]).toEqual([{ a: 8 }, 14])
})

test('slots that nobody else wants are given back', () => {
  const { add, run, held } = history(8)
  add('a', 20, 1000)
  add('b', 4, 5)
  run(5)
  expect(held()).toEqual({ a: 4 })
  run(1)
  expect(held()).toEqual({ a: 8 })
})

test('a request with many answers gets slots one by one, and delays nobody who needs one', () => {
  const { add, run, jobs } = history(8)
  for (let account = 0; account < 8; account++) add(`small${account}`, 1, 20)
  add('big', 8, 20)
  for (let account = 8; account < 40; account++) add(`small${account}`, 1, 20)
  run(400)
  expect(jobs.every(({ left }) => left === 0)).toBe(true)
  const lastOf = (prefix: string) =>
    Math.max(
      ...jobs.filter(({ accountId }) => accountId.startsWith(prefix)).map(({ firstTokenStep = -1 }) => firstTokenStep),
    )
  expect(lastOf('small')).toBeLessThan(110) // 41 accounts in turns of 8, 20 steps each
  expect(lastOf('big')).toBeLessThan(121)
})

test('several accounts with many requests each keep equal shares all the time', () => {
  const { add, run, held } = history(8)
  for (const account of ['a', 'b', 'c', 'd']) add(account, 50, 20)
  for (let step = 0; step < 300; step++) {
    if (step % 20 !== 0) expect(held()).toEqual({ a: 2, b: 2, c: 2, d: 2 }) // all end together, every 20 steps
    run(1)
  }
})

test('equal shares move nothing', () => {
  const { add, run, parked } = history(8)
  for (const account of ['a', 'b', 'c']) add(account, 8, 2000)
  run(1000)
  expect(parked()).toBe(0)
})

test('with more accounts than slots each has turns of 64 tokens and more', () => {
  const { add, run, jobs, parked } = history(2)
  for (const account of ['a', 'b', 'c', 'd', 'e']) add(account, 1, 400)
  run(300)
  for (const { left } of jobs) expect(left).toBeLessThan(400)
  expect(parked()).toBeLessThan((2 * 300) / 64)
  run(800)
  expect(jobs.map(({ left }) => left)).toEqual([0, 0, 0, 0, 0])
})

test('one short request after the other does not park the same answer again and again', () => {
  const { add, run, now, jobs, parked } = history(4)
  add('a', 4, 10_000)
  run(1)
  for (let request = 0; request < 200; request++) {
    add('b', 1, 2)
    run(5)
  }
  expect(parked()).toBeLessThan(4 + (4 * 1000) / 64)
  const waits = jobs.map(({ addedStep, firstTokenStep = now() }) => firstTokenStep - addedStep)
  expect(Math.max(...waits)).toBeLessThan(110)
})

test('the emptiest of an account gives way first, then the one with the longest turn', () => {
  const holder = { accountId: 'a', waitsForAnother: false, tokens: 10, turnTokens: 5, wasParked: false }
  const longer = { ...holder, turnTokens: 9 }
  const empty = { ...holder, waitsForAnother: true, turnTokens: 0 }
  const state = { hasRoom: false, waiting: ['b'] }
  expect(nextSlotMove({ ...state, holders: [holder, longer, empty] })).toEqual({ kind: 'park', holder: empty })
  expect(nextSlotMove({ ...state, holders: [holder, longer] })).toEqual({ kind: 'park', holder: longer })
  expect(nextSlotMove({ ...state, holders: [holder] })).toBeUndefined()
})
