import type { Database } from 'bun:sqlite'
import { beforeEach, expect, test } from 'bun:test'
import { newId } from '../core/ids.ts'
import { nothingConsumed } from '../core/usage.ts'
import { openDatabase } from '../db/open-database.ts'
import { openStores, type Stores } from '../operations/stores.ts'
import { endedRecord } from '../testing/ended-record.ts'

let database: Database
let stores: Stores
let accountId = ''

beforeEach(async () => {
  database = openDatabase(':memory:')
  stores = openStores({ database, newId, clock: () => 1000 })
  accountId = 'acc_a'
  database.run("INSERT INTO accounts (id, name, created) VALUES ('acc_a', 'a', 1)")
  const keyId = stores.keys.create({ accountId, name: 'k' }).id
  stores.ledger.append({ accountId, kind: 'credit', amountNanoUsd: 5_000_000_000, actor: 'cli:test' })
  await stores.holds.hold({ requestId: 'req_done', accountId, keyId, amountNanoUsd: 2_000_000_000 })
  await stores.holds.settle({
    ...endedRecord,
    requestId: 'req_done',
    accountId,
    keyId,
    endpoint: 'chat/completions',
    model: 'a/b',
    used: nothingConsumed,
    pricing: { unit: '1M_tokens', inputNanoUsd: 1, outputNanoUsd: 1 },
    costNanoUsd: 1_000_000_000,
    chargedNanoUsd: 1_000_000_000,
    isMetered: true,
    finish: 'stop',
  })
  await stores.holds.hold({ requestId: 'req_open', accountId, keyId, amountNanoUsd: 500_000_000 })
})

/** Damages the database as no transaction of the program could: drops the triggers and makes them again. */
function damage(sql: string): void {
  const triggers = database
    .query<{ name: string; sql: string }, []>("SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'")
    .all()
  for (const { name } of triggers) database.run(`DROP TRIGGER ${name}`)
  database.run('PRAGMA ignore_check_constraints = ON')
  database.run('PRAGMA foreign_keys = OFF')
  database.run(sql)
  for (const trigger of triggers) database.run(trigger.sql)
}

test('a database in use has no problems, and its totals', () => {
  expect(stores.checkIntegrity()).toEqual({
    problems: [],
    accounts: 1,
    ledgerRows: 2,
    balancesNanoUsd: 4_000_000_000,
    openHolds: 1,
    limitedToNetworks: 0,
    latestErasureMs: 0,
    heldNanoUsd: 500_000_000,
  })
})

test.each([
  [
    "UPDATE accounts SET balance = 9000000000 WHERE id = 'acc_a'",
    ['account acc_a has $9, its ledger rows add up to $4'],
  ],
  [
    "UPDATE ledger SET amount = 6000000000 WHERE kind = 'credit'",
    [
      'account acc_a has $4, its ledger rows add up to $5',
      'ledger row 1 says $5 afterwards, after the row before it is $6',
    ],
  ],
  [
    "UPDATE ledger SET balance_after = 1 WHERE kind = 'usage'",
    ['ledger row 2 says $0.000000001 afterwards, after the row before it is $4'],
  ],
  [
    "DELETE FROM ledger WHERE kind = 'usage'",
    ['account acc_a has $4, its ledger rows add up to $5', 'request req_done was charged $1, in the ledger $0'],
  ],
  [
    'DELETE FROM usage',
    [
      'request req_done was charged $1 and has no record of what it used',
      'the usage of account acc_a on 1970-01-01 is told as $1, its requests add up to $0',
    ],
  ],
  [
    'UPDATE usage SET charged = 3',
    [
      'request req_done was charged $0.000000003, in the ledger $1',
      'the usage of account acc_a on 1970-01-01 is told as $1, its requests add up to $0.000000003',
    ],
  ],
  ["UPDATE accounts SET held = 1 WHERE id = 'acc_a'", ['account acc_a holds $0.000000001, its requests hold $0.5']],
  ['DELETE FROM holds', ['account acc_a holds $0.5, its requests hold $0']],
  ["UPDATE holds SET request_id = 'req_done'", ['request req_done is over and still holds $0.5']],
  [
    'UPDATE accounts SET held = 5000000000; UPDATE holds SET amount = 5000000000',
    ['account acc_a holds $5 of a balance of $4'],
  ],
  [
    "INSERT INTO vouchers (id, hash, amount, created, redeemed, redeemed_by) VALUES ('vou_a', zeroblob(32), 7, 1, 2, 'acc_a')",
    ['voucher vou_a gave $0 instead of $0.000000007'],
  ],
  [
    "UPDATE holds SET account_id = 'acc_b'",
    ['a row of "holds" names a row of "accounts" that is not there', 'account acc_a holds $0.5, its requests hold $0'],
  ],
])('%s is found', (sql, problems) => {
  damage(sql)
  expect(stores.checkIntegrity().problems).toEqual(problems.map((problem) => expect.stringContaining(problem)))
})

test('a missing or changed guard is found', () => {
  database.run('DROP TRIGGER ledger_is_never_changed')
  database.run('DROP TRIGGER ledger_is_never_shortened')
  database.run('CREATE TRIGGER ledger_is_never_shortened BEFORE DELETE ON ledger BEGIN SELECT 1; END')
  database.run('CREATE TABLE foreign_thing (x INTEGER) STRICT')
  expect(stores.checkIntegrity().problems).toEqual([
    'trigger "ledger_is_never_shortened" is not as this program makes it',
    'trigger "ledger_is_never_changed" is missing',
    'table "foreign_thing" is not this program\'s',
  ])
})

test('of many problems of one kind the first are named', () => {
  damage(`WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 50)
    INSERT INTO holds (request_id, account_id, amount, created) SELECT 'req_done' || i, 'acc_a', 0, 1 FROM n;
    INSERT INTO usage (request_id, account_id, key_id, endpoint, model, prompt_tokens, cached_tokens, completion_tokens,
        reasoning_tokens, characters, audio_ms, prices, cost, charged, finish, created)
      SELECT h.request_id, u.account_id, key_id, endpoint, model, 0, 0, 0, 0, 0, 0, prices, 0, 0, finish, 1 FROM holds h, usage u`)
  const { problems } = stores.checkIntegrity()
  expect(problems.length).toBe(21)
  expect(problems.at(-1)).toBe('and more of this kind')
})
