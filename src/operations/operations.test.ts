import { expect, test } from 'bun:test'
import { openTestAccounts, type TestAccounts } from '../testing/test-accounts.ts'
import type { Caller } from './operation.ts'
import { isFor, isOperation, type OperationName, operations, perform } from './operations.ts'

const operator = { kind: 'operator', actor: 'cli:test', baseUrl: '' } as const
const anybody = { kind: 'anybody', network: '10.0.0.1' } as const
const owner = (accountId: string, session?: string) => ({ kind: 'account', accountId, session, network: '' }) as const

function call({ services }: TestAccounts, caller: Caller, name: OperationName, input: object) {
  return perform(services, caller, { name, input })
}

const names = Object.keys(operations).filter(isOperation)

test.each(names)('%s is done for the callers of its table row alone', async (name) => {
  using books = openTestAccounts()
  for (const caller of [operator, anybody, owner(books.account(0).accountId)]) {
    if (isFor(caller.kind, name)) continue
    await expect(call(books, caller, name, {})).rejects.toThrow(`"${name}" is not for callers of kind "${caller.kind}"`)
  }
})

test.each([
  ['keys-create', { name: 'k' }],
  ['keys-list', {}],
  ['usage-list', {}],
  ['usage-report', { by: ['day'] }],
] as const)('%s of another account is as unknown to an account as one that does not exist', async (name, input) => {
  using books = openTestAccounts()
  const [ada, bob] = [books.account(5), books.account(7)]
  for (const account of [bob.accountId, 'acc_none']) {
    const problem = { code: 'not_found', what: 'account', name: account }
    await expect(call(books, owner(ada.accountId), name, { ...input, account })).rejects.toMatchObject({ problem })
  }
  await call(books, owner(ada.accountId), name, { ...input, account: ada.accountId })
})

test('an account lists and revokes its own keys alone', async () => {
  using books = openTestAccounts()
  const [ada, bob] = [books.account(0), books.account(0)]
  expect(await call(books, owner(ada.accountId), 'keys-list', {})).toMatchObject([{ id: ada.keyId }])
  expect(await call(books, operator, 'keys-list', {})).toHaveLength(2)
  const problem = { code: 'not_found', what: 'key', name: bob.keyId }
  await expect(call(books, owner(ada.accountId), 'keys-revoke', { key: bob.keyId })).rejects.toMatchObject({ problem })
  expect(books.stores.keys.verify(bob.key).kind).toBe('valid')
})

test('a key that is revoked again is audited once', async () => {
  using books = openTestAccounts()
  const { accountId, keyId: key } = books.account(0)
  for (const caller of [owner(accountId), operator]) {
    expect(await call(books, caller, 'keys-revoke', { key })).toMatchObject({ id: key })
  }
  expect(books.stores.audit.list()).toMatchObject([{ action: 'key.revoke', actor: `account:${accountId}` }])
})

test('the audit log is searched by parts of who and what, in any case', async () => {
  using books = openTestAccounts()
  const entry = { accountId: undefined, details: {} }
  books.stores.audit.append({ ...entry, actor: 'operator:acc_Ada', action: 'key.revoke' })
  books.stores.audit.append({ ...entry, actor: 'cli:root', action: 'key_revoke' })
  books.stores.audit.append({ ...entry, actor: 'cli:root', action: 'voucher.revoke' })
  const found = async (filter: object) => {
    const rows = (await call(books, operator, 'audit-list', filter)) as { action: string }[]
    return rows.map(({ action }) => action)
  }
  expect(await found({ actor: 'acc_a' })).toEqual(['key.revoke'])
  expect(await found({ action: 'REVOKE', actor: 'cli' })).toEqual(['voucher.revoke', 'key_revoke'])
  expect(await found({ action: 'key_' })).toEqual(['key_revoke'])
  expect(await found({ action: '%' })).toEqual([])
})

test('who moved and changed what goes by the address or the name', async () => {
  using books = openTestAccounts()
  const { accountId: account } = books.account(0)
  const own = books.stores.accounts.ensureOperator()
  const actor = `operator:${own.id}`
  const asOperator: Caller = { ...operator, actor }
  await call(books, asOperator, 'ledger-credit', { account, amount: '1' })
  const names = { accountName: books.stores.accounts.find(account)?.name, actorName: 'operator' }
  for (const name of ['ledger-list', 'audit-list'] as const)
    expect(await call(books, operator, name, { limit: 1 })).toMatchObject([{ actor, accountId: account, ...names }])
  expect(await call(books, operator, 'audit-list', { actor: 'PERATO' })).toHaveLength(1)
  expect(await call(books, operator, 'audit-list', { actor: 'nobody' })).toEqual([])
})

test.each(['ledger-list', 'audit-list', 'vouchers-list'] as const)('%s names accounts, for operators alone', (name) => {
  expect(operations[name].callers).toEqual(['operator'])
})

test('a session that has ended changes nothing and reads nothing', async () => {
  using books = openTestAccounts()
  const { accountId } = books.account(0)
  const session = books.stores.sessions.begin(accountId)
  books.stores.sessions.end(session)
  const problem = { code: 'not_signed_in' }
  await expect(call(books, owner(accountId, session), 'keys-create', { name: 'k' })).rejects.toMatchObject({ problem })
  await expect(call(books, owner(accountId, session), 'keys-list', {})).rejects.toMatchObject({ problem })
  expect(books.stores.keys.list()).toHaveLength(1)
})

test('the first field that is not as its schema says is named, without a word of any door', async () => {
  using books = openTestAccounts()
  const problem = { code: 'invalid_input', field: 'limit', rule: 'must be a whole number from 1 to 100000' }
  await expect(call(books, operator, 'audit-list', { limit: 0 })).rejects.toMatchObject({ problem })
  const before = { code: 'invalid_input', field: 'before', rule: 'must be the id of a row of the list', value: 'acc_x' }
  await expect(call(books, operator, 'accounts-list', { before: 'acc_x' })).rejects.toMatchObject({ problem: before })
})

test('an operation that fails leaves nothing, not even an entry of the audit log', async () => {
  using books = openTestAccounts()
  const { accountId: account } = books.account(5)
  await expect(call(books, operator, 'ledger-credit', { account, amount: '-1' })).rejects.toMatchObject({
    problem: { code: 'exceeds_balance', balanceNanoUsd: 5, heldNanoUsd: 0 },
  })
  expect(books.stores.audit.list()).toEqual([])
  expect(books.money(account)).toEqual({ balance: 5, held: 0 })
})

test('mails are announced once they are in the outbox, and only by operations that put them there', async () => {
  using books = openTestAccounts()
  let wakes = 0
  const services = { ...books.services, mails: { wake: () => wakes++ } }
  const input = { email: 'ada@example.org' }
  await perform(services, anybody, { name: 'accounts-sign-up', input })
  expect([wakes, books.stores.outbox.due().length]).toEqual([1, 1])
  await perform(services, operator, { name: 'keys-create', input: { name: 'k' } })
  await expect(perform(services, anybody, { name: 'accounts-sign-up', input })).rejects.toThrow()
  expect(wakes).toBe(1)
})

test.each([
  ['vouchers-list', { conditions: ['1 = 1'] }, 'conditions'],
  ['accounts-list', { filter: { 'id IS NOT NULL OR accounts.id': 'x' } }, 'filter'],
  ['sessions-end', { acount: 'acc_1' }, 'acount'],
  ['ledger-credit', { account: 'acc_1', amount: '1', idempotency_key: 'x' }, 'idempotency_key'],
] as const)('%s takes no field of another name', async (name, input, field) => {
  using books = openTestAccounts()
  const problem = { code: 'invalid_input', field, rule: 'is not a field of this operation' }
  await expect(call(books, operator, name, input)).rejects.toMatchObject({ problem })
})

test.each([
  [{ model: ' ' }, 'filter.model', 'is the id of a model'],
  [{ modell: 'x' }, 'filter.modell', 'is not a field of this operation'],
  [[], 'filter', 'is an object of conditions'],
])('what is wrong with the condition %j is told by its name', async (filter, field, rule) => {
  using books = openTestAccounts()
  const problem = { code: 'invalid_input', field, rule }
  await expect(call(books, operator, 'requests-list', { tab: 'paid', filter })).rejects.toMatchObject({ problem })
})

test('what is written is audited: signing out, the key of the playground, and a mail that is tried again', async () => {
  using books = openTestAccounts()
  const { accountId } = books.account(0)
  const { stores } = books
  const secret = stores.sessions.begin(accountId)
  const { key } = (await call(books, owner(accountId), 'keys-ensure-playground', {})) as { key: string }
  await call(books, owner(accountId), 'keys-ensure-playground', {})
  for (const session of [secret, secret, 'none']) await call(books, anybody, 'sessions-sign-out', { session })
  const mail = stores.outbox.add(accountId, 'confirm')
  stores.outbox.markFailed(mail, 'not there', undefined)
  const retry = (sendsMail: boolean) => {
    const services = { ...books.services, rules: { ...books.services.rules, sendsMail } }
    return call({ ...books, services }, operator, 'outbox-retry', { mail })
  }
  await expect(retry(false)).rejects.toMatchObject({ problem: { code: 'no_mail_server' } })
  for (let index = 0; index < 2; index++) await retry(true)
  expect(stores.audit.list()).toMatchObject([
    { action: 'mail.retry', actor: 'cli:test', details: { mail } },
    { action: 'session.end', actor: `account:${accountId}`, accountId },
    { action: 'key.create', actor: `account:${accountId}`, accountId, details: { key } },
  ])
  expect(JSON.stringify(stores.audit.list())).not.toContain(secret)
})
