import { expect, test } from 'bun:test'
import { dayMs } from '../core/durations.ts'
import type { PaidRequestRecord } from '../core/request-record.ts'
import { nothingConsumed } from '../core/usage.ts'
import { endedRecord } from '../testing/ended-record.ts'
import { openTestAccounts, type TestAccounts } from '../testing/test-accounts.ts'
import type { Payer } from './budgets.ts'

const november = Date.UTC(2026, 10, 30, 12)

interface Paid {
  readonly requestId: string
  readonly costNanoUsd: number
  readonly isMetered?: boolean
}

function record(payer: Payer, { requestId, costNanoUsd, isMetered = true }: Paid): PaidRequestRecord {
  return {
    ...endedRecord,
    ...payer,
    requestId,
    endpoint: 'chat/completions',
    model: 'a/b',
    used: nothingConsumed,
    pricing: { unit: '1M_tokens' },
    costNanoUsd,
    chargedNanoUsd: isMetered ? costNanoUsd : 0,
    isMetered,
    finish: 'stop',
  }
}

function open(clock = () => november) {
  const books = openTestAccounts(':memory:', clock)
  const { accountId, keyId } = books.account(1_000_000)
  return { books, payer: { accountId, keyId } }
}

function setLimits({ stores }: TestAccounts, subject: string, limits: Parameters<typeof stores.limits.set>[1]) {
  return stores.commits.run(() => stores.limits.set(subject, limits))
}

function left({ stores }: TestAccounts, payer: Payer) {
  const { leftNanoUsd, per, subject } = stores.holds.budgetOf(payer) ?? {}
  return { leftNanoUsd, per, subject }
}

test('of 200 requests at once on a budget for 50 exactly 50 are held, by the account and by the key', async () => {
  for (const by of ['accountId', 'keyId'] as const) {
    const { books, payer } = open()
    using _books = books
    await setLimits(books, payer[by], { monthlyNanoUsd: 500 })
    const asked = Array.from({ length: 200 }, (_, index) =>
      books.stores.holds.hold({ ...payer, requestId: `req_${index}`, amountNanoUsd: 10 }),
    )
    const kinds = (await Promise.all(asked)).map(({ kind }) => kind)
    expect(kinds.filter((kind) => kind === 'held')).toHaveLength(50)
    expect(books.money(payer.accountId).held).toBe(500)
    expect(books.stores.checkIntegrity().problems).toEqual([])
  }
})

test('the tighter budget binds, is named, and leaves what it has', async () => {
  const { books, payer } = open()
  using _books = books
  await setLimits(books, payer.accountId, { dailyNanoUsd: 90, monthlyNanoUsd: 100 })
  await setLimits(books, payer.keyId, { monthlyNanoUsd: 80 })
  const { holds } = books.stores
  expect(await holds.hold({ ...payer, requestId: 'req_1', amountNanoUsd: 30 })).toEqual({ kind: 'held' })
  expect(await holds.hold({ ...payer, requestId: 'req_2', amountNanoUsd: 51 })).toMatchObject({
    kind: 'insufficient',
    availableNanoUsd: 50,
    budget: { subject: payer.keyId, per: 'month', limitNanoUsd: 80, heldNanoUsd: 30, resetMs: Date.UTC(2026, 11) },
  })
  expect(await holds.resize('req_1', 80)).toEqual({ kind: 'held' })
  expect(await holds.resize('req_1', 81)).toMatchObject({ kind: 'insufficient', availableNanoUsd: 80 })
  await holds.settle(record(payer, { requestId: 'req_1', costNanoUsd: 20 }))
  expect(left(books, payer)).toEqual({ leftNanoUsd: 60, per: 'month', subject: payer.keyId })
  expect(books.stores.checkIntegrity().problems).toEqual([])
})

test('an unmetered account holds and counts its cost against a budget, and pays nothing', async () => {
  const { books, payer } = open()
  using _books = books
  books.database.run('UPDATE accounts SET is_unmetered = 1')
  await setLimits(books, payer.accountId, { dailyNanoUsd: 100 })
  const { holds } = books.stores
  expect(await holds.hold({ ...payer, requestId: 'req_1', amountNanoUsd: 100 })).toEqual({ kind: 'budgeted' })
  expect(await holds.hold({ ...payer, requestId: 'req_2', amountNanoUsd: 1 })).toMatchObject({ availableNanoUsd: 0 })
  expect(await holds.resize('req_1', 60)).toEqual({ kind: 'held' })
  expect(await holds.hold({ ...payer, requestId: 'req_2', amountNanoUsd: 40 })).toEqual({ kind: 'budgeted' })
  await holds.settle(record(payer, { requestId: 'req_1', costNanoUsd: 55, isMetered: false }))
  await holds.drop('req_2')
  expect(left(books, payer).leftNanoUsd).toBe(45)
  expect(books.money(payer.accountId)).toEqual({ balance: 1_000_000, held: 0 })
  expect(books.stores.checkIntegrity().problems).toEqual([])
})

test('a request counts in the day and the month of its usage, and meanwhile binds both days', async () => {
  let now = november
  const { books, payer } = open(() => now)
  using _books = books
  await setLimits(books, payer.accountId, { dailyNanoUsd: 100, monthlyNanoUsd: 150 })
  const { holds } = books.stores
  const hold = (requestId: string, amountNanoUsd: number) => holds.hold({ ...payer, requestId, amountNanoUsd })
  await hold('req_1', 60)
  await hold('req_2', 40)
  await holds.settle(record(payer, { requestId: 'req_2', costNanoUsd: 35 }))
  now += dayMs
  expect(left(books, payer)).toMatchObject({ leftNanoUsd: 40, per: 'day' })
  expect(await hold('req_3', 41)).toMatchObject({ kind: 'insufficient', availableNanoUsd: 40 })
  await hold('req_3', 40)
  await holds.settle(record(payer, { requestId: 'req_1', costNanoUsd: 60 }))
  await holds.settle(record(payer, { requestId: 'req_3', costNanoUsd: 30 }))
  expect(left(books, payer)).toMatchObject({ leftNanoUsd: 10, per: 'day' })
  now = november
  expect(left(books, payer)).toMatchObject({ leftNanoUsd: 65, per: 'day' })
  now = Date.UTC(2026, 11, 31, 23, 59, 59, 999)
  await hold('req_4', 60)
  await holds.settle(record(payer, { requestId: 'req_4', costNanoUsd: 60 }))
  expect(left(books, payer)).toMatchObject({ leftNanoUsd: 0, per: 'month' })
  now += 1
  expect(left(books, payer)).toMatchObject({ leftNanoUsd: 100, per: 'day' })
})

test('sums that a failed transaction has counted are read again, and its hold is released', async () => {
  const { books, payer } = open()
  using _books = books
  await setLimits(books, payer.accountId, { monthlyNanoUsd: 100 })
  const { holds } = books.stores
  await holds.hold({ ...payer, requestId: 'req_1', amountNanoUsd: 50 })
  books.database.run(
    "CREATE TEMP TRIGGER fails AFTER UPDATE OF balance ON accounts BEGIN SELECT RAISE(ABORT, 'the disk fails'); END",
  )
  expect(await holds.settle(record(payer, { requestId: 'req_1', costNanoUsd: 50 })).catch(String)).toContain('fails')
  holds.abandon('req_1')
  expect(left(books, payer).leftNanoUsd).toBe(100)
  books.database.run('DROP TRIGGER fails')
  books.database.run(
    "CREATE TEMP TRIGGER fails AFTER UPDATE OF held ON accounts BEGIN SELECT RAISE(ABORT, 'fails'); END",
  )
  expect(await holds.hold({ ...payer, requestId: 'req_2', amountNanoUsd: 50 }).catch(String)).toContain('fails')
  expect(left(books, payer).leftNanoUsd).toBe(100)
  books.database.run('DROP TRIGGER fails')
  await holds.hold({ ...payer, requestId: 'req_2', amountNanoUsd: 100 })
  expect(left(books, payer).leftNanoUsd).toBe(0)
})

test('a running request of an unmetered account goes on when its budget is removed', async () => {
  const { books, payer } = open()
  using _books = books
  books.database.run('UPDATE accounts SET is_unmetered = 1')
  await setLimits(books, payer.accountId, { dailyNanoUsd: 100 })
  const { holds } = books.stores
  await holds.hold({ ...payer, requestId: 'req_1', amountNanoUsd: 50 })
  await setLimits(books, payer.accountId, {})
  expect(await holds.resize('req_1', 500)).toEqual({ kind: 'held' })
  await holds.settle(record(payer, { requestId: 'req_1', costNanoUsd: 500, isMetered: false }))
  await setLimits(books, payer.accountId, { dailyNanoUsd: 600 })
  expect(left(books, payer).leftNanoUsd).toBe(100)
})

test('a budget counts what was used before it was set, what runs meanwhile, and again after it was taken away', async () => {
  const { books, payer } = open()
  using _books = books
  const { holds } = books.stores
  for (const requestId of ['req_1', 'req_2']) await holds.hold({ ...payer, requestId, amountNanoUsd: 50 })
  await holds.settle(record(payer, { requestId: 'req_1', costNanoUsd: 30 }))
  await setLimits(books, payer.keyId, { monthlyNanoUsd: 100 })
  expect(left(books, payer).leftNanoUsd).toBe(70)
  await holds.hold({ ...payer, requestId: 'req_3', amountNanoUsd: 5 })
  await holds.settle(record(payer, { requestId: 'req_2', costNanoUsd: 40 }))
  expect(left(books, payer).leftNanoUsd).toBe(25)
  await setLimits(books, payer.keyId, {})
  await setLimits(books, payer.keyId, { monthlyNanoUsd: 90 })
  await holds.hold({ ...payer, requestId: 'req_4', amountNanoUsd: 1 })
  expect(left(books, payer).leftNanoUsd).toBe(14)
  await holds.settle(record(payer, { requestId: 'req_3', costNanoUsd: 5 }))
  expect(left(books, payer).leftNanoUsd).toBe(14)
  expect(books.stores.checkIntegrity().problems).toEqual([])
})

test("a person's own budget counts requests that a team pays for by a key of theirs", async () => {
  const { books } = open()
  using _books = books
  const person = books.account(0)
  const accountId = books.stores.accounts.createTeam('Research', 'cli:test')
  books.stores.teams.join(accountId, person.accountId, { role: 'member', source: 'hand' })
  books.stores.ledger.append({ accountId, kind: 'credit', amountNanoUsd: 1_000_000, actor: 'system' })
  const { id: keyId } = books.stores.keys.create({ accountId, holderId: person.accountId, name: 'test' })
  const held = { accountId, keyId, holderId: person.accountId }
  const { holds } = books.stores
  await holds.hold({ ...held, requestId: 'req_1', amountNanoUsd: 30 })
  await holds.settle(record(held, { requestId: 'req_1', costNanoUsd: 30 }))
  await setLimits(books, person.accountId, { dailyNanoUsd: 100 })
  expect(await holds.hold({ ...held, requestId: 'req_2', amountNanoUsd: 71 })).toMatchObject({
    availableNanoUsd: 70,
    budget: { subject: person.accountId },
  })
  await holds.hold({ ...held, requestId: 'req_3', amountNanoUsd: 70 })
  await holds.settle(record(held, { requestId: 'req_3', costNanoUsd: 40 }))
  expect(left(books, held).leftNanoUsd).toBe(30)
  expect(books.stores.checkIntegrity().problems).toEqual([])
})

test('a budget is told at four fifths and when a request finds too little of it, each once in its period', async () => {
  let now = november
  const { books, payer } = open(() => now)
  using _books = books
  await setLimits(books, payer.keyId, { dailyNanoUsd: 100 })
  const { holds } = books.stores
  const told = async () => {
    const reached: (string | number)[][] = []
    await holds.reportReachedBudgets(({ percent, subject, accountId, period }) => {
      reached.push([percent, subject, accountId, period])
    })
    return reached
  }
  const pay = async (requestId: string, amountNanoUsd: number) => {
    await holds.hold({ ...payer, requestId, amountNanoUsd })
    await holds.settle(record(payer, { requestId, costNanoUsd: amountNanoUsd }))
  }
  await pay('req_1', 79)
  expect(await told()).toEqual([])
  await pay('req_2', 1)
  expect(await told()).toEqual([[80, payer.keyId, payer.accountId, '2026-11-30']])
  expect(await told()).toEqual([])
  await holds.hold({ ...payer, requestId: 'req_3', amountNanoUsd: 21 })
  expect(await told()).toEqual([[100, payer.keyId, payer.accountId, '2026-11-30']])
  holds.check({ ...payer, amountNanoUsd: 21 })
  expect(await told()).toEqual([])
  now += dayMs
  await pay('req_4', 100)
  expect(await told()).toEqual([[100, payer.keyId, payer.accountId, '2026-12-01']])
})

test('a changed budget is told again', async () => {
  const { books, payer } = open()
  using _books = books
  const { holds } = books.stores
  await setLimits(books, payer.accountId, { monthlyNanoUsd: 100 })
  await holds.hold({ ...payer, requestId: 'req_1', amountNanoUsd: 100 })
  await holds.settle(record(payer, { requestId: 'req_1', costNanoUsd: 100 }))
  const told = async () => {
    const percents: number[] = []
    await holds.reportReachedBudgets(({ percent }) => percents.push(percent))
    return percents
  }
  expect(await told()).toEqual([100])
  await setLimits(books, payer.accountId, { monthlyNanoUsd: 120 })
  expect(await told()).toEqual([80])
  await setLimits(books, payer.accountId, { monthlyNanoUsd: 120, parallel: 2 })
  expect(await told()).toEqual([])
})
