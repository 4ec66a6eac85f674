import { Database } from 'bun:sqlite'
import { expect, test } from 'bun:test'
import { createHash } from 'node:crypto'
import { openTestAccounts } from '../testing/test-accounts.ts'
import { verifyAudit } from './audit-chain.ts'
import { erasePerson } from './erase-person.ts'
import { migrate } from './migrate.ts'
import { migrations } from './migrations/index.ts'

/** Opens a log of rows about one account. */
function openLog(rows: number) {
  const books = openTestAccounts()
  const { accountId } = books.account(0)
  for (let number = 1; number <= rows; number++)
    books.stores.audit.append({
      actor: 'cli:ada',
      action: 'key.rename',
      accountId,
      details: { name: `name ${number}` },
    })
  return { ...books, accountId, tamper: (sql: string) => withoutTriggers(books.database, sql) }
}

/** Runs a statement as somebody would who owns the file. */
function withoutTriggers(database: Database, sql: string): void {
  for (const name of ['audit_log_is_never_changed', 'audit_log_is_never_shortened'])
    database.run(`DROP TRIGGER ${name}`)
  database.run(sql)
}

test('a log that nobody touched is verified as a whole and from its end', () => {
  using log = openLog(5)
  expect(verifyAudit(log.database)).toMatchObject({ rows: 5, latest: { id: 5 }, problems: [] })
  expect(verifyAudit(log.database, 2)).toMatchObject({ rows: 2, latest: { id: 5 }, problems: [] })
  expect(verifyAudit(log.database, 100)).toMatchObject({ rows: 5, problems: [] })
})

test.each([
  ["UPDATE audit_log SET details = '{}' WHERE id = 3", 'audit row 3 has other details than were written'],
  ["UPDATE audit_log SET details = '{}', salt = NULL WHERE id = 3", 'audit row 3 has other details than were written'],
  ["UPDATE audit_log SET actor = 'cli:eve' WHERE id = 3", 'audit row 3 does not follow from the row before it'],
  ['UPDATE audit_log SET created = 0 WHERE id = 3', 'audit row 3 does not follow from the row before it'],
  ["UPDATE audit_log SET action = 'credit' WHERE id = 3", 'audit row 3 does not follow from the row before it'],
  ['UPDATE audit_log SET account_id = NULL WHERE id = 3', 'audit row 3 does not follow from the row before it'],
  ["UPDATE audit_log SET salt = x'00' WHERE id = 3", 'audit row 3 has other details than were written'],
  ['DELETE FROM audit_log WHERE id = 3', 'audit row 4 does not follow from the row before it'],
  [
    "INSERT INTO audit_log (id, created, actor, action, details) VALUES (6, 0, 'cli:ada', 'credit', '{}')",
    'audit row 6 has no chain',
  ],
])('%s is found', (sql, problem) => {
  using log = openLog(5)
  log.tamper(sql)
  expect(verifyAudit(log.database).problems).toEqual([expect.stringContaining(problem)])
})

test('the chain outlasts erased details', () => {
  using log = openLog(3)
  const before = verifyAudit(log.database).latest
  erasePerson(log.database, log.accountId, 1)
  expect(log.stores.audit.list().map(({ details }) => details)).toEqual([{}, {}, {}])
  expect(verifyAudit(log.database)).toEqual({ rows: 3, latest: before, problems: [] })
})

test('details that were written in place of erased ones are found', () => {
  using log = openLog(2)
  erasePerson(log.database, log.accountId, 1)
  log.tamper('UPDATE audit_log SET details = \'{"amountNanoUsd":1}\' WHERE id = 2')
  expect(verifyAudit(log.database).problems).toEqual(['audit row 2 has other details than were written'])
})

test('details of an account that was not erased cannot be blanked, and nothing else of a row can change', () => {
  using log = openLog(2)
  const change = (set: string) => () => log.database.run(`UPDATE audit_log SET ${set} WHERE id = 1`)
  expect(change("details = '{}', salt = NULL")).toThrow('append-only')
  erasePerson(log.database, log.accountId, 1)
  expect(change("details = '{}', salt = NULL")).not.toThrow()
  expect(change('details = \'{"name":1}\', salt = NULL')).toThrow('append-only')
  expect(change("actor = 'cli:eve'")).toThrow('append-only')
  expect(change('chain = NULL')).toThrow('append-only')
})

test('the chain can be computed from the columns alone', () => {
  using log = openLog(2)
  const rows = log.database.query<Record<string, Uint8Array & string>, []>('SELECT * FROM audit_log').all()
  let previous = Buffer.alloc(32).toString('hex')
  for (const { id, created, actor, action, account_id, details, salt, digest, chain } of rows) {
    const sum = createHash('sha256')
      .update(salt as Uint8Array)
      .update(details as string)
      .digest('hex')
    expect(sum).toBe(Buffer.from(digest as Uint8Array).toString('hex'))
    const fields = JSON.stringify([previous, id, created, actor, action, account_id, sum])
    previous = createHash('sha256').update(fields).digest('hex')
    expect(previous).toBe(Buffer.from(chain as Uint8Array).toString('hex'))
  }
})

test('rows of an earlier version get a chain by the migration', () => {
  using database = new Database(':memory:', { strict: true })
  const earlier = migrations.findIndex(({ changeRows }) => changeRows !== undefined)
  migrate(database, migrations.slice(0, earlier))
  for (let number = 1; number <= 2_500; number++)
    database.run("INSERT INTO audit_log (created, actor, action, details) VALUES (?, 'cli:ada', 'credit', '{}')", [
      number,
    ])
  migrate(database, migrations)
  expect(verifyAudit(database)).toMatchObject({ rows: 2_500, problems: [] })
})
