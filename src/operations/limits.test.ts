import { expect, test } from 'bun:test'
import { RequestRates } from '../billing/request-rates.ts'
import { openTestAccounts, type TestAccounts } from '../testing/test-accounts.ts'
import type { Caller } from './operation.ts'
import { perform } from './operations.ts'
import { OperationError } from './problem.ts'

const operator: Caller = { kind: 'operator', actor: 'cli:ada', baseUrl: 'http://box' }

function open() {
  const books = openTestAccounts()
  const payer = books.account(1_000_000)
  const owner: Caller = { kind: 'account', accountId: payer.accountId, network: '10.0.0.1' }
  return { books, payer, owner }
}

async function run(books: TestAccounts, caller: Caller, name: 'limits-set' | 'limits-show', input: object) {
  const services = { ...books.services, rates: new RequestRates(() => 0) }
  try {
    return await perform(services, caller, { name, input })
  } catch (error) {
    if (error instanceof OperationError) return error.problem
    throw error
  }
}

test('limits that are named change, others stay, and removed ones go; the audit log has each change', async () => {
  const { books, payer } = open()
  using _books = books
  const subject = payer.keyId
  await run(books, operator, 'limits-set', { subject, monthlyUsd: '20', parallel: 2, endpoints: ['/v1/embeddings'] })
  const set = await run(books, operator, 'limits-set', { subject, monthlyUsd: '0.5', remove: ['parallel'] })
  expect(set).toMatchObject({
    ...{ subject, account: payer.accountId, parallel: null, endpoints: ['embeddings'], setBy: ['operator'] },
    ...{ monthlyNanoUsd: 500_000_000, running: 0, requestsLeft: null },
    budgets: [{ per: 'month', limitNanoUsd: 500_000_000, spentNanoUsd: 0, heldNanoUsd: 0, leftNanoUsd: 500_000_000 }],
  })
  expect(books.stores.audit.list({}).map(({ action, details }) => [action, details])).toEqual([
    ['limits.set', { subject, source: 'operator', limits: { monthlyNanoUsd: 500_000_000, endpoints: ['embeddings'] } }],
    [
      'limits.set',
      {
        ...{ subject, source: 'operator' },
        limits: { monthlyNanoUsd: 20_000_000_000, parallel: 2, endpoints: ['embeddings'] },
      },
    ],
  ])
})

test('an account narrows its own keys, and widens no limit that the operator has set', async () => {
  const { books, payer, owner } = open()
  using _books = books
  const subject = payer.keyId
  await run(books, operator, 'limits-set', { subject, requestsPerMinute: 10, models: ['a/b', 'a/c'] })
  const own = await run(books, owner, 'limits-set', { subject, requestsPerMinute: 50, models: ['a/c', 'a/d'] })
  expect(own).toMatchObject({ requestsPerMinute: 10, models: ['a/c'], own: { requestsPerMinute: 50 } })
  await run(books, owner, 'limits-set', { subject, remove: ['requestsPerMinute', 'models'] })
  expect(books.stores.limits.of(subject)).toEqual({ requestsPerMinute: 10, models: ['a/b', 'a/c'] })
})

test('an account sets no limits of itself or of the keys of others, and sees its own alone', async () => {
  const { books, payer, owner } = open()
  using _books = books
  const other = books.account(0)
  for (const subject of [other.keyId, other.accountId]) {
    expect(await run(books, owner, 'limits-set', { subject, parallel: 1 })).toMatchObject({ code: 'not_found' })
    expect(await run(books, owner, 'limits-show', { subject })).toMatchObject({ code: 'not_found' })
  }
  expect(await run(books, owner, 'limits-set', { subject: payer.accountId, parallel: 1 })).toMatchObject({
    code: 'not_found',
  })
  expect(await run(books, owner, 'limits-show', {})).toMatchObject({ subject: payer.accountId })
  expect(books.stores.limits.isAnySet()).toBe(false)
})

test('a treasurer sets budgets alone', async () => {
  const { books, payer } = open()
  using _books = books
  const treasurer: Caller = { ...operator, role: 'treasurer' }
  const subject = payer.accountId
  expect(await run(books, treasurer, 'limits-set', { subject, dailyUsd: '0' })).toMatchObject({ dailyNanoUsd: 0 })
  expect(await run(books, treasurer, 'limits-set', { subject, dailyUsd: '1', remove: ['models'] })).toMatchObject({
    code: 'invalid_input',
    field: 'remove',
  })
  expect(await run(books, treasurer, 'limits-set', { subject, models: [] })).toMatchObject({ code: 'not_for_role' })
})

test.each([
  [{ dailyUsd: '-1' }, 'dailyUsd'],
  [{ dailyUsd: '1e3' }, 'dailyUsd'],
  [{ requestsPerMinute: 0 }, 'requestsPerMinute'],
  [{ networks: ['10.0.0.0/33'] }, 'networks'],
  [{ endpoints: ['chat'] }, 'endpoints'],
  [{ remove: ['all'] }, 'remove'],
  [{ models: [''] }, 'models'],
])('%p is refused', async (fields, field) => {
  const { books, payer } = open()
  using _books = books
  expect(await run(books, operator, 'limits-set', { subject: payer.keyId, ...fields })).toMatchObject({
    code: 'invalid_input',
    field,
  })
})
