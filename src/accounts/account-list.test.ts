import { expect, test } from 'bun:test'
import { freePricing } from '../core/model.ts'
import { nothingConsumed } from '../core/usage.ts'
import { endedRecord } from '../testing/ended-record.ts'
import { openTestAccounts, type TestAccounts } from '../testing/test-accounts.ts'
import type { AccountQuery } from './account-list.ts'
import { parseEmail } from './email-address.ts'

function create({ stores }: TestAccounts, address: string, name: string, isUnmetered = false): string {
  const email = parseEmail(address)
  const id = email && stores.accounts.create({ email, name, isUnmetered })
  if (id === undefined) throw new Error('this is a new address')
  return id
}

test('a search finds parts of addresses and names in either case, and whole ids', () => {
  using books = openTestAccounts()
  const ada = create(books, 'ada@example.org', 'Ada Lovelace')
  const bob = create(books, 'bob_1@example.net', '100 %')
  const found = (search: string) => books.stores.accounts.list({ search }).map(({ id }) => id)
  expect([found('LOVE'), found('ADA@'), found(ada)]).toEqual([[ada], [ada], [ada]])
  expect(found('example.')).toEqual([bob, ada])
  // Wildcards of patterns match only themselves.
  expect([found('%'), found('_1'), found('_2'), found('\\'), found("'")]).toEqual([[bob], [bob], [], [], []])
  expect(found(ada.slice(0, -1))).toEqual([])
})

test('accounts are listed by their state, page by page', () => {
  using books = openTestAccounts()
  const { stores } = books
  const operator = stores.accounts.ensureOperator().id
  const [ada, bob, eve] = ['ada', 'bob', 'eve'].map((name) => create(books, `${name}@example.org`, name))
  if (ada === undefined || bob === undefined || eve === undefined) throw new Error('they were made')
  stores.accounts.confirm(ada, 5)
  stores.accounts.setDisabled(bob, true)
  stores.accounts.setUnmetered(eve, true)
  const listed = (query: AccountQuery) => stores.accounts.list(query).map(({ id }) => id)
  expect(listed({ state: 'unconfirmed' })).toEqual([eve, bob])
  expect(listed({ state: 'disabled' })).toEqual([bob])
  expect(listed({ state: 'unmetered' })).toEqual([eve, operator])
  expect(listed({ state: 'empty' })).toEqual([bob])
  expect(listed({ state: 'operator' })).toEqual([operator])
  expect(listed({ state: 'unconfirmed', limit: 1 })).toEqual([eve])
  expect(listed({ state: 'unconfirmed', before: eve })).toEqual([bob])
  expect(listed({ state: 'unconfirmed', search: 'eve' })).toEqual([eve])
})

test('an account’s row says when it was last used and what it spent in thirty days', () => {
  const dayMs = 24 * 60 * 60 * 1000
  let nowMs = 1_800_000_000_000
  using books = openTestAccounts(':memory:', () => nowMs)
  const { accountId, keyId } = books.account(100)
  const pay = (requestId: string, chargedNanoUsd: number) => {
    const pricing = freePricing.chat
    const entry = { requestId, accountId, keyId, endpoint: 'x', model: 'm', used: nothingConsumed, pricing }
    const money = { costNanoUsd: chargedNanoUsd, chargedNanoUsd, isMetered: true, finish: 'stop' } as const
    books.stores.usage.insert({ ...endedRecord, ...entry, ...money })
  }
  const row = () => books.stores.accounts.list()[0]
  expect(row()).toMatchObject({ spent30DaysNanoUsd: 0, balanceNanoUsd: 100, role: 'member' })
  expect(row()?.lastUsedMs).toBeUndefined()
  pay('req_1', 40)
  nowMs += 30 * dayMs
  pay('req_2', 2)
  pay('req_3', 3)
  expect(row()).toMatchObject({ spent30DaysNanoUsd: 5, lastUsedMs: nowMs })
})

test('members are counted, and those made since a time', () => {
  using books = openTestAccounts()
  const { accounts } = books.stores
  accounts.ensureOperator()
  expect(accounts.count(0)).toEqual({ all: 0, made: 0 })
  const ada = accounts.find(create(books, 'ada@example.org', 'Ada'))
  expect(accounts.count(0)).toEqual({ all: 1, made: 1 })
  expect(accounts.count((ada?.createdMs ?? 0) + 1)).toEqual({ all: 1, made: 0 })
})
