import { Database } from 'bun:sqlite'
import { expect, test } from 'bun:test'
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { StorageError, UnflushedError } from '../core/errors.ts'
import type { PaidRequestRecord } from '../core/request-record.ts'
import { nothingConsumed } from '../core/usage.ts'
import type { CommitOptions, GroupCommit } from '../db/group-commit.ts'
import { endedRecord } from '../testing/ended-record.ts'
import { openTestAccounts, type TestAccounts } from '../testing/test-accounts.ts'
import { until } from '../testing/until.ts'
import { Holds } from './holds.ts'

const pricing = { inputNanoUsd: 1_000_000, outputNanoUsd: 1_000_000, unit: '1M_tokens' } as const

function entry(
  payer: { accountId: string; keyId: string },
  requestId: string,
  changes: Partial<PaidRequestRecord>,
): PaidRequestRecord {
  const used = { ...nothingConsumed, promptTokens: 3, cachedTokens: 1, completionTokens: 2, reasoningTokens: 1 }
  return {
    ...endedRecord,
    ...payer,
    requestId,
    endpoint: 'chat/completions',
    model: 'a/b',
    used,
    pricing,
    costNanoUsd: 0,
    chargedNanoUsd: 0,
    isMetered: true,
    finish: 'stop',
    ...changes,
  }
}

function payer(books: TestAccounts, balanceNanoUsd: number) {
  const { accountId, keyId } = books.account(balanceNanoUsd)
  return { accountId, keyId }
}

test('what is held cannot be held again, and is released less the charge', async () => {
  using books = openTestAccounts()
  const { holds, usage } = books.stores
  const who = payer(books, 100)
  expect(await holds.hold({ ...who, requestId: 'req_1', amountNanoUsd: 70 })).toEqual({ kind: 'held' })
  expect(await holds.hold({ ...who, requestId: 'req_2', amountNanoUsd: 31 })).toEqual({
    kind: 'insufficient',
    availableNanoUsd: 30,
  })
  expect(books.money(who.accountId)).toEqual({ balance: 100, held: 70 })
  const charge = { costNanoUsd: 25, chargedNanoUsd: 25, queuedMs: 1.4, runningMs: 7.6 }
  expect(await holds.settle(entry(who, 'req_1', charge))).toEqual({ chargedNanoUsd: 25, balanceNanoUsd: 75 })
  expect(books.money(who.accountId)).toEqual({ balance: 75, held: 0 })
  expect(usage.find('req_1')).toEqual({
    ...who,
    state: 'ended',
    arrivedAtMs: 1_800_000_000_000 - 9,
    durationMs: 9,
    isMetered: true,
    requestId: 'req_1',
    endpoint: 'chat/completions',
    model: 'a/b',
    used: { ...nothingConsumed, promptTokens: 3, cachedTokens: 1, completionTokens: 2, reasoningTokens: 1 },
    pricing,
    costNanoUsd: 25,
    chargedNanoUsd: 25,
    finish: 'stop',
    queuedMs: 1,
    loadingMs: undefined,
    runningMs: 8,
    heldNanoUsd: 70,
    isEstimated: false,
    keyName: 'test',
    createdMs: 1_800_000_000_000,
  })
})

test('a hold grows as far as there is money, stays as it was beyond, and shrinks', async () => {
  using books = openTestAccounts()
  const { holds } = books.stores
  const who = payer(books, 100)
  await holds.hold({ ...who, requestId: 'req_1', amountNanoUsd: 10 })
  expect(await holds.resize('req_1', 100)).toEqual({ kind: 'held' })
  expect(await holds.resize('req_1', 101)).toEqual({ kind: 'insufficient', availableNanoUsd: 100 })
  expect(books.money(who.accountId).held).toBe(100)
  expect(await holds.resize('req_1', 40)).toEqual({ kind: 'held' })
  expect(books.money(who.accountId).held).toBe(40)
  expect(holds.resize('req_2', 1)).rejects.toThrow('nothing is held')
})

test('a request settles once, and never for more than it held', async () => {
  using books = openTestAccounts()
  const { holds, usage } = books.stores
  const who = payer(books, 100)
  await holds.hold({ ...who, requestId: 'req_1', amountNanoUsd: 50 })
  expect(holds.settle(entry(who, 'req_1', { costNanoUsd: 51, chargedNanoUsd: 51 }))).rejects.toThrow('held 50')
  const twice = await Promise.allSettled(
    [1, 2].map((cost) => holds.settle(entry(who, 'req_1', { costNanoUsd: cost, chargedNanoUsd: cost }))),
  )
  expect(twice.map(({ status }) => status)).toEqual(['fulfilled', 'rejected'])
  expect(books.money(who.accountId)).toEqual({ balance: 99, held: 0 })
  expect(usage.list({ accountId: who.accountId })).toHaveLength(1)
})

test('a request that came to nothing gives all back and leaves no record', async () => {
  using books = openTestAccounts()
  const { holds, usage } = books.stores
  const who = payer(books, 100)
  await holds.hold({ ...who, requestId: 'req_1', amountNanoUsd: 50 })
  await holds.drop('req_1')
  expect(books.money(who.accountId)).toEqual({ balance: 100, held: 0 })
  expect(usage.list({ accountId: who.accountId })).toEqual([])
})

test('usage of an unmetered account is recorded at its price and takes nothing', async () => {
  using books = openTestAccounts()
  const { holds, usage, ledger } = books.stores
  const who = payer(books, 0)
  books.database.run('UPDATE accounts SET is_unmetered = 1')
  expect(await holds.hold({ ...who, requestId: 'req_1', amountNanoUsd: 1_000 })).toEqual({ kind: 'unmetered' })
  await holds.settle(entry(who, 'req_1', { costNanoUsd: 25, isMetered: false }))
  expect(usage.find('req_1')).toMatchObject({ costNanoUsd: 25, chargedNanoUsd: 0, isMetered: false })
  expect(ledger.list({ accountId: who.accountId, limit: 10 })).toEqual([])
})

test('a charge waits for the disk, and what costs nothing does not', async () => {
  using books = openTestAccounts()
  const { commits, ledger, limits } = books.stores
  const waited: boolean[] = []
  const watched = {
    run: (work: () => unknown, { isDurable = true }: CommitOptions) => {
      waited.push(isDurable)
      return commits.run(work, { isDurable })
    },
  } as unknown as GroupCommit
  const { database } = books
  const holds = new Holds({ database, newId: String, clock: () => 0, ledger, limits, commits: watched })
  const who = payer(books, 100)
  await holds.hold({ ...who, requestId: 'req_1', amountNanoUsd: 50 })
  await holds.settle(entry(who, 'req_1', { costNanoUsd: 1, chargedNanoUsd: 1 }))
  await holds.settle(entry(who, 'req_2', { costNanoUsd: 25, isMetered: false }))
  expect(waited).toEqual([false, true, false])
})

test('a charge may stop all else while it waits for the disk where no other request holds money', async () => {
  using books = openTestAccounts()
  const { commits, ledger, limits } = books.stores
  const alone: string[] = []
  const watched = {
    run: (work: () => unknown, { isDurable = true, isAlone = false }: CommitOptions) => {
      if (isDurable) alone.push(isAlone ? 'alone' : 'in company')
      return commits.run(work, { isDurable })
    },
  } as unknown as GroupCommit
  const { database } = books
  const holds = new Holds({ database, newId: String, clock: () => 0, ledger, limits, commits: watched })
  const who = payer(books, 100)
  const charge = { costNanoUsd: 1, chargedNanoUsd: 1 }
  for (const requestId of ['req_1', 'req_2', 'req_3', 'req_4'])
    await holds.hold({ ...who, requestId, amountNanoUsd: 20 })
  expect(await holds.hold({ ...who, requestId: 'req_5', amountNanoUsd: 50 })).toMatchObject({ kind: 'insufficient' })
  await holds.settle(entry(who, 'req_1', charge))
  await holds.drop('req_2')
  holds.abandon('req_3')
  await holds.settle(entry(who, 'req_4', charge))
  expect(alone).toEqual(['in company', 'alone'])
})

test('a check says what a hold would and holds nothing', () => {
  using books = openTestAccounts()
  const { holds } = books.stores
  const who = payer(books, 100)
  expect(holds.check({ ...who, amountNanoUsd: 100 })).toEqual({ kind: 'held' })
  expect(holds.check({ ...who, amountNanoUsd: 101 })).toEqual({ kind: 'insufficient', availableNanoUsd: 100 })
  expect(books.money(who.accountId)).toEqual({ balance: 100, held: 0 })
  books.database.run('UPDATE accounts SET is_unmetered = 1')
  expect(holds.check({ ...who, amountNanoUsd: 101 })).toEqual({ kind: 'unmetered' })
})

test('a key or an account that ended since it was checked holds nothing', async () => {
  using books = openTestAccounts()
  const { accounts, holds, keys, teams } = books.stores
  const request = { requestId: 'req_1', amountNanoUsd: 1 }
  const revoked = payer(books, 100)
  books.database.query('UPDATE api_keys SET revoked = 1 WHERE id = ?').run(revoked.keyId)
  expect(await holds.hold({ ...revoked, ...request })).toEqual({ kind: 'key-ended' })
  const expiring = payer(books, 100)
  const keyId = keys.create({ accountId: expiring.accountId, name: 'x', expiresAtMs: 1_800_000_000_000 }).id
  expect(await holds.hold({ ...expiring, keyId, ...request })).toEqual({ kind: 'key-ended' })
  const disabled = payer(books, 100)
  books.database.query('UPDATE accounts SET disabled = 1 WHERE id = ?').run(disabled.accountId)
  expect(await holds.hold({ ...disabled, ...request })).toEqual({ kind: 'account-disabled' })
  const team = accounts.createTeam('team', 'cli:test')
  const heldBy = { accountId: team, holderId: disabled.accountId, name: 'x' }
  teams.join(team, disabled.accountId, { role: 'member', source: 'hand' })
  expect(await holds.hold({ accountId: team, keyId: keys.create(heldBy).id, ...request })).toEqual({
    kind: 'account-disabled',
  })
  // Somebody else's key.
  expect(await holds.hold({ accountId: disabled.accountId, keyId: expiring.keyId, ...request })).toEqual({
    kind: 'key-ended',
  })
})

test('of 200 that hold at once on money for 50, exactly 50 do', async () => {
  using books = openTestAccounts()
  const { holds } = books.stores
  const who = payer(books, 50 * 7)
  const outcomes = await Promise.all(
    Array.from({ length: 200 }, (_, index) => holds.hold({ ...who, requestId: `req_${index}`, amountNanoUsd: 7 })),
  )
  expect(outcomes.filter(({ kind }) => kind === 'held')).toHaveLength(50)
  expect(books.money(who.accountId)).toEqual({ balance: 350, held: 350 })
})

test('what could not be given back is, as soon as that works again', async () => {
  using books = openTestAccounts()
  const { holds } = books.stores
  const who = payer(books, 100)
  await holds.hold({ ...who, requestId: 'req_1', amountNanoUsd: 70 })
  books.database.run("CREATE TRIGGER stuck BEFORE DELETE ON holds BEGIN SELECT RAISE(ABORT, 'disk full'); END")
  await expect(holds.drop('req_1')).rejects.toThrow('disk full')
  holds.abandon('req_1')
  // Later requests try again: in vain while the trigger exists, then with success.
  expect(holds.check({ ...who, amountNanoUsd: 30 })).toEqual({ kind: 'held' })
  expect(await holds.hold({ ...who, requestId: 'req_2', amountNanoUsd: 30 })).toEqual({ kind: 'held' })
  expect(books.money(who.accountId)).toEqual({ balance: 100, held: 100 })
  books.database.run('DROP TRIGGER stuck')
  holds.check({ ...who, amountNanoUsd: 70 })
  expect(await holds.hold({ ...who, requestId: 'req_3', amountNanoUsd: 70 })).toEqual({ kind: 'held' })
  await holds.drop('req_2')
  await holds.drop('req_3')
  holds.check({ ...who, amountNanoUsd: 1 })
  await holds.hold({ ...who, requestId: 'req_4', amountNanoUsd: 100 })
  expect(books.money(who.accountId)).toEqual({ balance: 100, held: 100 })
})

test('a charge that is given back is on the disk for certain as soon as the disk works again', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'inferd-holds-'))
  const path = join(folder, 'inferd.db')
  const failing = () => Promise.reject(new Error('the disk fails'))
  using books = openTestAccounts(path, undefined, { flush: failing })
  const { holds, ledger } = books.stores
  const who = payer(books, 100)
  await holds.hold({ ...who, requestId: 'req_1', amountNanoUsd: 50 })
  // A reader of an old state keeps the log from being moved into the file, but nobody from writing to the log.
  const reader = new Database(path)
  reader.run('BEGIN')
  reader.query('SELECT * FROM accounts').get()
  const charge = { costNanoUsd: 7, chargedNanoUsd: 7 }
  await expect(holds.settle(entry(who, 'req_1', charge))).rejects.toThrow(UnflushedError)
  holds.abandon('req_1')
  const credits = () => ledger.list({ kind: 'credit', accountId: who.accountId })
  await until('the charge is given back', credits, (rows) => rows.length === 2)
  reader.close()
  const copied = join(folder, 'copy.db')
  const stored = () => {
    copyFileSync(path, copied) // without the log
    using copy = new Database(copied)
    return copy.query("SELECT amount FROM ledger WHERE kind = 'credit'").values()
  }
  expect(stored()).not.toContainEqual([7])
  // Every later request tries again, and is refused until the disk is known to work.
  const retried = () => {
    try {
      holds.check({ ...who, amountNanoUsd: 1 })
    } catch (error) {
      expect(error).toBeInstanceOf(StorageError)
    }
    return stored()
  }
  await until('the credit is in the file', retried, (rows) => rows.length === 2)
  expect(credits()).toHaveLength(2)
  expect(books.money(who.accountId)).toEqual({ balance: 100, held: 0 })
  rmSync(folder, { recursive: true })
})

test('what could not be given back is tried once more when the server ends', async () => {
  using books = openTestAccounts()
  const { holds, commits } = books.stores
  const who = payer(books, 100)
  await holds.hold({ ...who, requestId: 'req_1', amountNanoUsd: 70 })
  books.database.run("CREATE TRIGGER stuck BEFORE DELETE ON holds BEGIN SELECT RAISE(ABORT, 'disk full'); END")
  holds.abandon('req_1')
  await commits.run(() => undefined)
  expect(books.money(who.accountId)).toEqual({ balance: 100, held: 70 })
  books.database.run('DROP TRIGGER stuck')
  holds.close()
  commits.close()
  expect(books.money(who.accountId)).toEqual({ balance: 100, held: 0 })
})
