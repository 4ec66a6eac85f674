import { Database } from 'bun:sqlite'
import { afterEach, beforeEach, expect, test } from 'bun:test'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { copyDatabase } from '../db/copy-database.ts'
import { Erasures } from '../db/erasures.ts'
import { cleanUp } from '../server/clean-up.ts'
import type { Log } from '../telemetry/log.ts'
import { openTestAccounts, type TestAccounts } from '../testing/test-accounts.ts'
import { restoreBackup } from '../upkeep/restore-backup.ts'
import { writeBackup } from '../upkeep/write-backup.ts'
import { exportFile } from './export-file.ts'
import { type OperationInput, type OperationNameFor, type OperationResult, perform } from './operations.ts'

const operator = { kind: 'operator', actor: 'cli:test', baseUrl: '' } as const

let folder = ''
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'inferd-person-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

function operate<Name extends OperationNameFor<'operator'>>(
  { services }: TestAccounts,
  name: Name,
  input: OperationInput<Name>,
  caller: Parameters<typeof perform>[1] = operator,
) {
  return perform(services, caller, { name, input }) as Promise<OperationResult<Name>> // of this operation
}

/** Makes a member whose name, key, browser and credit hold a marked word. */
async function member(books: TestAccounts): Promise<string> {
  const { id } = await operate(books, 'accounts-create', {
    email: 'zebra@example.org',
    name: 'Zebra',
    isUnmetered: false,
  })
  await operate(books, 'keys-create', { account: id, name: 'zebra laptop' })
  books.stores.sessions.begin(id, { client: { address: '10.0.0.1', userAgent: 'zebra browser' } })
  await operate(books, 'ledger-credit', { account: id, amount: '2', memo: 'for Zebra' })
  return id
}

async function exported(books: TestAccounts, account: string, caller = operator as Parameters<typeof perform>[1]) {
  const begun = await operate(books, 'accounts-export', caller.kind === 'account' ? {} : { account }, caller)
  let text = ''
  for await (const piece of exportFile(begun, (input) =>
    operate(books, 'accounts-export-rows', { ...input, limit: 1 }, caller),
  ))
    text += piece
  return { text, json: JSON.parse(text) }
}

test('an export has all rows of the account, page by page, and no secret', async () => {
  using books = openTestAccounts()
  const account = await member(books)
  const other = books.account(9e9).accountId
  const { json, text } = await exported(books, account)
  expect(json).toMatchObject({
    account,
    tables: {
      accounts: [{ id: account, email: 'zebra@example.org', name: 'Zebra', balance: 2e9 }],
      api_keys: [{ name: 'zebra laptop' }],
      sessions: [{ address: '10.0.0.1', user_agent: 'zebra browser' }],
      ledger: [{ kind: 'signup' }, { kind: 'credit', amount: 2e9, memo: 'for Zebra' }],
      audit_log: [
        { action: 'account.create' },
        { action: 'key.create' },
        { action: 'credit' },
        { action: 'account.export' },
      ],
    },
  })
  expect(text).not.toContain(other)
  expect(text).not.toMatch(/hash|salt|digest|chain/)
  expect((await exported(books, account, { kind: 'account', accountId: account, network: '' })).json.account).toBe(
    account,
  )
})

test('an export has the requests by keys of teams that the person holds, page by page', async () => {
  using books = openTestAccounts()
  const account = await member(books)
  const { id: team } = await operate(books, 'teams-create', { name: 'Research' })
  await operate(books, 'teams-add', { team, account })
  const held = books.stores.keys.create({ accountId: team, holderId: account, name: 'held' })
  const others = books.account(0)
  const record = (requestId: string, accountId: string, keyId: string) =>
    books.database
      .query(
        `INSERT INTO usage (request_id, account_id, key_id, endpoint, model, prompt_tokens, cached_tokens,
           completion_tokens, reasoning_tokens, characters, audio_ms, prices, cost, charged, finish, created)
         VALUES (?, ?, ?, 'chat/completions', 'test/chat', 1, 0, 1, 0, 0, 0, '{}', 0, 0, 'stop', 1)`,
      )
      .run(requestId, accountId, keyId)
  const own = books.stores.keys.list({ accountId: account })[0]?.id ?? ''
  for (const id of ['req_1', 'req_2']) record(id, account, own)
  for (const id of ['req_3', 'req_4']) record(id, team, held.id)
  record('req_5', others.accountId, others.keyId)
  const { tables } = (await exported(books, account)).json
  const ids = tables.usage.map(({ request_id }: { readonly request_id: string }) => request_id)
  expect(ids).toEqual(['req_1', 'req_2', 'req_3', 'req_4'])
  expect(tables.usage_days).toMatchObject([
    { account_id: account, requests: 2 },
    { account_id: team, requests: 2 },
  ])
})

test('an account exports itself alone', async () => {
  using books = openTestAccounts()
  const [one, other] = [await member(books), books.account(0).accountId]
  const caller = { kind: 'account', accountId: one, network: '' } as const
  for (const [name, input] of [
    ['accounts-export', { account: other }],
    ['accounts-export-rows', { account: other, table: 'accounts' }],
  ] as const)
    expect(await refusal(operate(books, name, input, caller))).toBe('not_found')
})

test('a place that no page told is refused', async () => {
  using books = openTestAccounts()
  const account = await member(books)
  for (const after of ['x', '[]', '[1,2,3]', '{}'])
    expect(await refusal(operate(books, 'accounts-export-rows', { account, table: 'usage', after }))).toBe(
      'invalid_input',
    )
})

test('an account is erased once nothing is left of its money and its requests', async () => {
  using books = openTestAccounts(join(folder, 'inferd.db'))
  const account = await member(books)
  expect(await refusal(operate(books, 'accounts-erase', { account: 'zebra@example.org' }))).toBe('balance_left')
  await operate(books, 'ledger-credit', { account, amount: '-2' })
  const record = { requestId: 'req_1', accountId: account } as const
  books.database.run('INSERT INTO holds VALUES (?, ?, 0, 0)', [record.requestId, account])
  expect(await refusal(operate(books, 'accounts-erase', { account }))).toBe('requests_running')
  books.database.run('DELETE FROM holds')

  const own = books.stores.accounts.ensureOperator().id
  expect(await refusal(operate(books, 'accounts-erase', { account: own }))).toBe('own_account')
  const self = { ...operator, accountId: account }
  expect(await refusal(operate(books, 'accounts-erase', { account }, self))).toBe('own_account')

  const first = await operate(books, 'accounts-erase', { account })
  expect(first).toMatchObject({ account, erasedMs: 1_800_000_000_000 })
  expect(await operate(books, 'accounts-erase', { account })).toEqual(first)
  expect(await refusal(operate(books, 'accounts-show', { account: 'zebra@example.org' }))).toBe('not_found')
  expect((await operate(books, 'accounts-show', { account })).account).toMatchObject({
    name: 'erased',
    email: undefined,
  })
  for (const [name, input] of [
    ['ledger-credit', { account, amount: '1' }],
    ['accounts-set-disabled', { account, isDisabled: false }],
    ['accounts-set-role', { account, role: 'auditor' }],
    ['keys-create', { account, name: 'new' }],
  ] as const)
    expect(await refusal(operate(books, name, input))).toBe('account_erased')
  expect(books.stores.checkIntegrity().problems).toEqual([])
})

test('no byte of the person is left in the database, its log and the list beside it', async () => {
  using books = openTestAccounts(join(folder, 'inferd.db'))
  const account = await member(books)
  await operate(books, 'ledger-credit', { account, amount: '-2' })
  expect(wordsIn(folder)).toBeGreaterThan(0)
  await operate(books, 'accounts-erase', { account })
  expect(wordsIn(folder)).toBe(0)
  expect(statSync(join(folder, 'inferd.db-wal')).size).toBe(0)
  expect(readFileSync(join(folder, 'erased.txt'), 'utf8')).toBe(`${account}\n`)
})

test('beside a reader of an earlier state an erasure is settled later', async () => {
  const path = join(folder, 'inferd.db')
  using books = openTestAccounts(path)
  const account = await member(books)
  await operate(books, 'ledger-credit', { account, amount: '-2' })
  {
    using reader = new Database(path, { readwrite: true })
    reader.run('BEGIN')
    reader.query('SELECT count(*) FROM accounts').get()
    books.database.run('PRAGMA busy_timeout = 0')
    await operate(books, 'accounts-erase', { account })
    expect(wordsIn(folder)).toBeGreaterThan(0)
    expect(String(books.stores.erasures.settle({ takesTime: true }))).toContain('reader')
  }
  expect(books.stores.erasures.settle({ takesTime: true })).toBeUndefined()
  expect(wordsIn(folder)).toBe(0)
})

test('an account stands in the list before its erasure is committed, and a start finishes what was cut off', async () => {
  using books = openTestAccounts(join(folder, 'inferd.db'))
  const account = await member(books)
  const killed = books.database.transaction(() => {
    books.stores.erasures.erase(account, 'cli:test')
    throw new Error('killed')
  })
  expect(killed).toThrow('killed')
  expect(readFileSync(join(folder, 'erased.txt'), 'utf8')).toBe(`${account}\n`)
  const next = new Erasures({ database: books.database, newId: (prefix) => `${prefix}next`, clock: () => 1 })
  expect(next.repeat()).toEqual([account])
  expect(next.settle({ takesTime: true })).toBeUndefined()
  expect(wordsIn(folder)).toBe(0)
})

test('an erasure that cannot be committed is taken back from the list', async () => {
  using books = openTestAccounts(join(folder, 'inferd.db'))
  const account = await member(books)
  await operate(books, 'ledger-credit', { account, amount: '-2' })
  // Checked at the commit alone.
  books.database.run('CREATE TABLE late (id TEXT REFERENCES accounts (id) DEFERRABLE INITIALLY DEFERRED)')
  books.database.run("CREATE TRIGGER fail AFTER INSERT ON erasures BEGIN INSERT INTO late VALUES ('nobody'); END")
  expect(await refusal(operate(books, 'accounts-erase', { account }))).toContain('FOREIGN KEY')
  expect(readFileSync(join(folder, 'erased.txt'), 'utf8')).toBe('')
  expect(books.stores.accounts.find(account)?.erasedMs).toBeUndefined()
})

test('nobody is erased where the list of erased accounts cannot be written', async () => {
  using books = openTestAccounts(join(folder, 'inferd.db'))
  const account = await member(books)
  await operate(books, 'ledger-credit', { account, amount: '-2' })
  mkdirSync(join(folder, 'erased.txt.new'))
  expect(await refusal(operate(books, 'accounts-erase', { account }))).toContain('EISDIR')
  expect(books.stores.accounts.find(account)?.erasedMs).toBeUndefined()
})

test('a server starts where no list of erased accounts can be written', async () => {
  const path = join(folder, 'inferd.db')
  using books = openTestAccounts(path)
  const account = await member(books)
  await operate(books, 'ledger-credit', { account, amount: '-2' })
  await operate(books, 'accounts-erase', { account })
  rmSync(join(folder, 'erased.txt'))
  mkdirSync(join(folder, 'erased.txt.new'))
  const warnings: string[] = []
  const log = { warn: (_: object, text: string) => void warnings.push(text) } as unknown as Log
  cleanUp(folder, books.database, log)
  expect(warnings).toEqual([expect.stringContaining('until the next start')])
  rmSync(join(folder, 'erased.txt.new'), { recursive: true })
  cleanUp(folder, books.database, log)
  expect(warnings).toHaveLength(1)
  expect(readFileSync(join(folder, 'erased.txt'), 'utf8')).toBe(`${account}\n`)
  expect(wordsIn(folder)).toBe(0)
})

test('whom a backup still has is erased again by its restore, and its money stays', async () => {
  const target = join(folder, 'b.tar')
  const data = join(folder, 'data')
  const path = join(data, 'inferd.db')
  mkdirSync(data, { mode: 0o700 })
  let account = ''
  {
    using books = openTestAccounts(path)
    account = await member(books)
    const common = { dataDir: data, target, version: '1.2.3', nowMs: 1, settingsFile: undefined }
    await writeBackup({ ...common, copyDatabase })
    await operate(books, 'ledger-credit', { account, amount: '-2' })
    await operate(books, 'accounts-erase', { account })
  }
  await restoreBackup({ path: target, dataDir: data, actor: 'cli:test', nowMs: 2, isForced: false })
  expect(wordsIn(data)).toBe(0)
  using books = openTestAccounts(path)
  expect(books.stores.accounts.find(account)).toMatchObject({ name: 'erased', balanceNanoUsd: 2e9, erasedMs: 2 })
  expect(books.stores.checkIntegrity().problems).toEqual([])
  expect(books.stores.audit.list({ limit: 2 }).map(({ action }) => action)).toEqual(['account.erase', 'backup.restore'])
})

test('a database that was put back by hand is erased again at the next start', async () => {
  const path = join(folder, 'inferd.db')
  let account = ''
  {
    using books = openTestAccounts(path)
    account = await member(books)
    copyDatabase(path, join(folder, 'earlier.db'))
    await operate(books, 'ledger-credit', { account, amount: '-2' })
    await operate(books, 'accounts-erase', { account })
  }
  renameSync(join(folder, 'earlier.db'), path)
  using books = openTestAccounts(path)
  expect(books.stores.erasures.repeat()).toEqual([account])
  expect(books.stores.erasures.repeat()).toEqual([])
  books.stores.erasures.settle({ takesTime: true })
  expect(wordsIn(folder)).toBe(0)
})

test('no detail of the audit log names a person or a key', async () => {
  using books = openTestAccounts()
  const account = await member(books)
  const key = books.stores.keys.list({ accountId: account })[0]?.id ?? ''
  const owner = { kind: 'account', accountId: account, network: '' } as const
  await perform(books.services, owner, { name: 'keys-rename', input: { key, name: 'zebra phone' } })
  await perform(books.services, owner, { name: 'accounts-rename-own', input: { name: 'Zebra Z.' } })
  const details = JSON.stringify(books.stores.audit.list().map((row) => row.details))
  expect(details.toLowerCase()).not.toContain('zebra')
})

function wordsIn(path: string): number {
  const files = ['inferd.db', 'inferd.db-wal', 'erased.txt']
    .map((name) => join(path, name))
    .filter((file) => existsSync(file))
  return files.reduce((sum, file) => sum + readFileSync(file, 'latin1').toLowerCase().split('zebra').length - 1, 0)
}

function refusal(result: Promise<unknown>): Promise<string> {
  return result.then(
    () => 'done',
    (error: { readonly problem?: { readonly code: string } }) => error.problem?.code ?? String(error),
  )
}
