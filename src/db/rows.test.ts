import { expect, test } from 'bun:test'
import { parseNewEmail } from '../accounts/email-address.ts'
import { endedRecord } from '../testing/ended-record.ts'
import { openTestAccounts, type TestAccounts } from '../testing/test-accounts.ts'
import type { Page } from './rows.ts'

const zero = {
  promptTokens: 0,
  cachedTokens: 0,
  completionTokens: 0,
  reasoningTokens: 0,
  characters: 0,
  audioMs: 0,
  images: 0,
}
const actor = 'cli:test'

interface Listed {
  /** Adds a row. The clock stands still, so that all rows have the same time. */
  readonly add: (books: TestAccounts, index: number, who: { accountId: string; keyId: string }) => void
  readonly list: (books: TestAccounts, page: Page, accountId: string) => readonly string[]
}

const ids = (rows: readonly { readonly id: string | number }[]) => rows.map(({ id }) => String(id))

const lists: Readonly<Record<string, Listed>> = {
  accounts: {
    add: ({ stores }, index) => {
      const email = parseNewEmail(`p${index}@example.org`)
      if (email !== undefined) stores.accounts.create({ email, name: '' })
    },
    list: ({ stores }, page) => ids(stores.accounts.list(page)),
  },
  keys: {
    add: ({ stores }, _, { accountId }) => stores.keys.create({ accountId, name: 'k' }),
    list: ({ stores }, page, accountId) => ids(stores.keys.list({ ...page, accountId })),
  },
  vouchers: {
    add: ({ stores }) => stores.vouchers.create({ amountNanoUsd: 1, count: 1, actor }),
    list: ({ stores }, page) => ids(stores.vouchers.list(page)),
  },
  ledger: {
    add: ({ stores }, _, { accountId }) =>
      stores.ledger.append({ accountId, kind: 'credit', amountNanoUsd: 1, actor: 'system' }),
    list: ({ stores }, page, accountId) => ids(stores.ledger.list({ ...page, accountId })),
  },
  usage: {
    add: ({ stores }, index, who) =>
      stores.usage.insert({
        ...endedRecord,
        ...{ ...who, requestId: `req_${index}`, endpoint: 'chat/completions', model: 'm', used: zero },
        ...{ pricing: { unit: '1M_tokens' }, costNanoUsd: 0, chargedNanoUsd: 0, isMetered: false, finish: 'stop' },
      }),
    list: ({ stores }, page, accountId) => stores.usage.list({ ...page, accountId }).map(({ requestId }) => requestId),
  },
  outbox: {
    add: ({ stores }, _, { accountId }) => stores.outbox.add(accountId, 'confirm'),
    list: ({ stores }, page) => ids(stores.outbox.list({ ...page, isWaiting: true })),
  },
  audit: {
    add: ({ stores }, _, { accountId }) => stores.audit.append({ actor, action: 'credit', accountId, details: {} }),
    list: ({ stores }, page, accountId) => ids(stores.audit.list({ ...page, accountId })),
  },
}

test.each(Object.entries(lists))(
  'pages of %s lose and repeat no row where times are equal and rows are added',
  (_, { add, list }) => {
    using books = openTestAccounts()
    const who = books.account(0)
    books.account(5) // whose rows are not in the lists of another account
    for (let index = 0; index < 8; index++) add(books, index, who)
    const whole = list(books, {}, who.accountId)
    expect(whole.length).toBeGreaterThanOrEqual(8)
    const paged: string[] = []
    for (;;) {
      const page = list(books, { limit: 3, before: paged.at(-1) }, who.accountId)
      paged.push(...page)
      if (page.length < 3) break
      add(books, 100 + paged.length, who)
    }
    expect(paged).toEqual([...whole])
  },
)

test('a page has a hundred rows unless a limit is given', () => {
  using books = openTestAccounts()
  books.stores.vouchers.create({ amountNanoUsd: 1, count: 130, actor })
  expect(books.stores.vouchers.list()).toHaveLength(100)
  expect(books.stores.vouchers.list({ limit: 120 })).toHaveLength(120)
})

test('a row that is not there is an error', () => {
  using books = openTestAccounts()
  expect(() => books.stores.vouchers.list({ before: 'vou_none' })).toThrow('no row "vou_none"')
  expect(() => books.stores.ledger.list({ before: 'x' })).toThrow('no row "x"')
})

test('pages and single rows are read by an index, without sorting', () => {
  using books = openTestAccounts()
  const { stores, database } = books
  const who = books.account(0)
  for (const { add } of Object.values(lists)) add(books, 1, who)
  const latest = Object.values(lists).map(({ list }) => list(books, { limit: 1 }, who.accountId)[0])
  const statements: string[] = []
  const query = database.query.bind(database)
  database.query = ((sql: string) => {
    statements.push(sql.replaceAll('?', ':id'))
    return query(sql)
  }) as typeof query
  for (const [index, { list }] of Object.values(lists).entries()) list(books, { before: latest[index] }, who.accountId)
  stores.accounts.findByEmail('p1@example.org')
  stores.keys.find('sk-inferd-')
  stores.ledger.ofRequest('req_1')
  stores.ledger.ofIdempotencyKey('invoice-7')
  stores.outbox.find('mail_1')
  stores.usage.find('req_1')
  const plans = statements.map((sql) => {
    const values: Record<string, null> = {}
    for (const [, name = ''] of sql.matchAll(/:(\w+)/g)) values[name] = null
    const plan = database.prepare<{ detail: string }, [Record<string, null>]>(`EXPLAIN QUERY PLAN ${sql}`)
    return `${sql}: ${plan.all(values).map(({ detail }) => detail)}`
  })
  expect(plans.length).toBeGreaterThan(13)
  // Sorting is allowed among rows of one millisecond, and ends with the page.
  expect(plans.filter((plan) => /: SCAN|TEMP B-TREE(?! FOR LAST TERM)/.test(plan))).toEqual([])
})

test('a page of one account begins after rows of this account alone', () => {
  using books = openTestAccounts()
  const [ada, bob] = [books.account(0), books.account(0)]
  const { id } = books.stores.keys.create({ accountId: ada.accountId, name: 'k' })
  expect(() => books.stores.keys.list({ accountId: bob.accountId, before: id })).toThrow(`no row "${id}"`)
  books.stores.keys.revoke(id)
  const rest = books.stores.keys.list({ accountId: ada.accountId, state: 'usable', before: id })
  expect(rest.length).toBe(books.stores.keys.list({ accountId: ada.accountId, state: 'usable' }).length)
  expect(books.stores.keys.list({ before: id }).length).toBeGreaterThan(0)
})
