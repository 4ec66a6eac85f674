/** The settlement begins when the engine has finished, while the client may still have much to read. */
import { Database } from 'bun:sqlite'
import { afterEach, beforeEach, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { checkIntegrity } from '../billing/integrity.ts'
import type { ChatEvent } from '../core/chat.ts'
import { storageReason } from '../core/errors.ts'
import { ownerOf } from '../core/owner.ts'
import { nothingConsumed } from '../core/usage.ts'
import { OpenRequest } from '../engines/host/open-request.ts'
import { chatRequest } from '../testing/chat-request.ts'
import { resolvedModel } from '../testing/resolved-model.ts'
import { type SlowDisk, slowDisk } from '../testing/slow-disk.ts'
import { openTestAccounts, type TestAccounts } from '../testing/test-accounts.ts'
import { testPayment } from '../testing/test-payment.ts'
import { until } from '../testing/until.ts'
import { workEngines } from '../testing/work-engines.ts'
import { runWork } from './run-work.ts'

const balanceNanoUsd = 100_000
const pricing = { inputNanoUsd: 1_000_000, outputNanoUsd: 1_000_000, unit: '1M_tokens' } as const
const usage = { ...nothingConsumed, promptTokens: 5, completionTokens: 3 }
const answer: readonly ChatEvent[] = [
  ...['one ', 'two ', 'three'].map((text) => ({ type: 'text-delta', choice: 0, text }) as const),
  { type: 'choice-finish', choice: 0, reason: 'stop' },
  { type: 'finish', usage },
]

let folder = ''
let disk: SlowDisk
let books: TestAccounts
let account: ReturnType<TestAccounts['account']>

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'inferd-settle-'))
  disk = slowDisk()
  books = openTestAccounts(join(folder, 'inferd.db'), undefined, disk)
  account = books.account(balanceNanoUsd)
})

afterEach(() => {
  books[Symbol.dispose]()
  rmSync(folder, { recursive: true })
})

/** Begins an answer and reads its start. The engine continues when the test says so. */
async function beginAnswer(requestId: string, signal = new AbortController().signal) {
  const said = Promise.withResolvers<void>()
  const pool = workEngines(async function* (_model, _work, { meter, signal: given }) {
    const granted = Promise.withResolvers<void>()
    const open = new OpenRequest({
      id: 1,
      meter,
      engine: { grant: () => granted.resolve(), cancel: () => open.receive({ id: 1, cancelled: usage }) },
    })
    const most = { ...nothingConsumed, promptTokens: 5, completionTokens: 10 }
    open.receive({ id: 1, prepared: { least: most, most } })
    const run = async () => {
      await granted.promise
      open.receive({ id: 1, event: { type: 'start', promptTokens: 5, cachedTokens: 0 } })
      await said.promise
      for (const event of answer) open.receive({ id: 1, event })
    }
    void run()
    yield* open.events(given)
  })
  const failures: unknown[] = []
  const payment = testPayment({
    till: books.stores.holds,
    request: { requestId, endpoint: 'chat/completions', ...account, owner: ownerOf(account) },
    signal,
    onUnsettled: (error) => failures.push(error),
  })
  const request = chatRequest({ maxTokens: 10 })
  const resolved = resolvedModel({ pricing })
  const { events, bill } = runWork({ work: { kind: 'chat', request }, resolved, pool, payment })
  expect((await events.next()).value).toMatchObject({ type: 'start' })
  return { events, bill, failures, end: () => said.resolve() }
}

const charged = () => books.stores.ledger.list({ accountId: account.accountId, kind: 'usage' })

async function committed(requests: number): Promise<void> {
  await until('the charges are committed', charged, (rows) => rows.length === requests)
}

test('the charge is written while the last tokens are on their way, and the end waits until it is on the disk', async () => {
  const { events, bill, end } = await beginAnswer('req_1')
  end()
  await committed(1)
  for (const event of answer.slice(0, -1)) expect((await events.next()).value).toEqual(event)
  let hasEnded = false
  const last = events.next().then(({ value }) => {
    hasEnded = true
    return value
  })
  await new Promise(setImmediate)
  expect([hasEnded, bill.settlement]).toEqual([false, undefined])
  disk.flushes[0]?.resolve()
  expect(await last).toEqual({ type: 'finish', usage })
  expect(bill.settlement).toMatchObject({ costNanoUsd: 8, balanceNanoUsd: balanceNanoUsd - 8 })
  expect((await events.next()).done).toBe(true)
  expect(disk.flushes).toHaveLength(1)
})

test.each(['before', 'after'])('a client that leaves %s the charge is on the disk pays once', async (when) => {
  const client = new AbortController()
  const { events, end, failures } = await beginAnswer('req_1', client.signal)
  end()
  await committed(1)
  if (when === 'after') disk.flushes[0]?.resolve()
  client.abort(new Error('the client left'))
  const left = events.return(undefined)
  await new Promise(setImmediate)
  disk.flushes[0]?.resolve()
  await left
  expect(books.money(account.accountId)).toEqual({ balance: balanceNanoUsd - 8, held: 0 })
  expect(charged()).toHaveLength(1)
  expect(books.stores.usage.find('req_1')).toMatchObject({ chargedNanoUsd: 8, finish: 'stop' })
  expect(failures).toEqual([])
})

test('answers of one account that end together share one wait, and are charged in the order of their ends', async () => {
  const answers = await Promise.all(Array.from({ length: 32 }, (_, index) => beginAnswer(`req_${index}`)))
  const order = answers.map((_, index) => (index * 7) % 32)
  for (const index of order) answers[index]?.end()
  await committed(32)
  expect(disk.flushes).toHaveLength(1)
  disk.flushes[0]?.resolve()
  await Promise.all(answers.map(({ events }) => Array.fromAsync(events)))
  const rows = charged().toReversed()
  expect(rows.map(({ requestId }) => requestId)).toEqual(order.map((index) => `req_${index}`))
  expect(rows.map((row) => row.balanceAfterNanoUsd)).toEqual(order.map((_, place) => balanceNanoUsd - 8 * (place + 1)))
  expect(disk.flushes).toHaveLength(1)
  expect(checkIntegrity(books.database).problems).toEqual([])
})

test('when the disk fails after the charge was written, the answer has no end and the charge is given back', async () => {
  const { events, end, failures } = await beginAnswer('req_1')
  end()
  await committed(1)
  // Another process prevents the database's log from being written to its file.
  const other = new Database(join(folder, 'inferd.db'))
  other.run('BEGIN IMMEDIATE')
  disk.flushes[0]?.reject(new Error('the disk fails'))
  await new Promise(setImmediate)
  other.close()
  const seen: ChatEvent[] = []
  const failure = await (async () => {
    for await (const event of events) seen.push(event)
  })().catch((error: unknown) => error)
  expect(storageReason(failure)).toBeDefined()
  expect(seen).toEqual([...answer.slice(0, -1)])
  expect(failures).toEqual([failure])
  const money = () => books.money(account.accountId)
  await until('the charge is given back', money, ({ balance }) => balance === balanceNanoUsd)
  expect(money().held).toBe(0)
  expect(charged()).toHaveLength(1)
  expect(checkIntegrity(books.database).problems).toEqual([])
  const { usage: records, sumUsage, statements, sumBooks, spending } = books.stores
  expect(records.find('req_1')).toMatchObject({ chargedNanoUsd: 0, finish: 'failed', used: usage })
  expect(sumUsage({ by: ['day'] }).total).toMatchObject({ requests: 1, chargedNanoUsd: 0 })
  expect(spending.chargedSince(account.accountId, 0)).toBe(0)
  expect(sumBooks()).toMatchObject({ creditedNanoUsd: balanceNanoUsd, balancesNanoUsd: balanceNanoUsd })
  const ever = { accountId: account.accountId, fromMs: 0, toMs: Number.MAX_SAFE_INTEGER }
  expect(statements.sums(ever)).toMatchObject({ spentNanoUsd: 8, addedNanoUsd: balanceNanoUsd + 8 })
})
