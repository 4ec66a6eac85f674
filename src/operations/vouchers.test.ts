import { expect, test } from 'bun:test'
import { openTestAccounts, type TestAccounts } from '../testing/test-accounts.ts'
import { type OperationInput, type OperationResult, perform } from './operations.ts'

const operator = { kind: 'operator', actor: 'cli:test', baseUrl: '' } as const
const input = { amount: '2.5', count: 3, memo: 'course', idempotencyKey: '0123456789abcdef0123456789abcdef' }

async function create({ services }: TestAccounts, wanted: OperationInput<'vouchers-create'>) {
  const made = await perform(services, operator, { name: 'vouchers-create', input: wanted })
  return made as OperationResult<'vouchers-create'>
}

test('vouchers that are asked for twice with one idempotency key are made once, and both answers have the codes', async () => {
  let nowMs = 1_800_000_000_000
  using books = openTestAccounts(':memory:', () => nowMs)
  const wanted = { ...input, expiresDays: 30 }
  const [first, second] = await Promise.all([create(books, wanted), create(books, wanted)])
  expect(first.vouchers).toHaveLength(3)
  expect(second).toEqual(first)
  const { accountId } = books.account(0)
  expect(books.stores.vouchers.redeem(accountId, first.vouchers[0]?.code ?? '')).toMatchObject({ kind: 'redeemed' })
  nowMs += 24 * 3_600_000
  expect(await create(books, wanted)).toEqual(first)
  expect(books.stores.vouchers.list()).toHaveLength(3)
  expect(books.stores.audit.list().filter(({ action }) => action === 'voucher.create')).toHaveLength(1)
})

test('codes follow from a key that is stored nowhere, and other keys make others', async () => {
  using books = openTestAccounts()
  const first = await create(books, input)
  const second = await create(books, { ...input, idempotencyKey: 'f'.repeat(32) })
  const codes = [...first.vouchers, ...second.vouchers].map(({ code }) => code)
  expect(new Set(codes).size).toBe(6)
  for (const code of codes) expect(code).toMatch(/^VC(-[2-9B-DF-HJ-NP-TV-XZ]{6}){4}$/)
  const stored = Buffer.from(books.database.serialize()).toString('latin1')
  expect(stored).not.toContain(input.idempotencyKey)
  for (const code of codes) expect(stored).not.toContain(code.slice(3, 9))
})

test.each([
  ['another amount', { amount: '2.500000001' }],
  ['fewer', { count: 2 }],
  ['more', { count: 4 }],
  ['another memo', { memo: 'course 2' }],
  ['no memo', { memo: undefined }],
  ['an expiry', { expiresDays: 30 }],
])('a key with %s is an error that makes nothing', async (_, other) => {
  using books = openTestAccounts()
  await create(books, input)
  const problem = { code: 'idempotency_key_reused', what: 'vouchers' }
  await expect(create(books, { ...input, ...other })).rejects.toMatchObject({ problem })
  expect(books.stores.vouchers.list()).toHaveLength(3)
})

test('a key that people make up is refused, since codes follow from it', async () => {
  using books = openTestAccounts()
  for (const idempotencyKey of ['invoice-7', 'a'.repeat(31), 'A'.repeat(32), 'a'.repeat(65)]) {
    const problem = { code: 'invalid_input', field: 'idempotencyKey' }
    await expect(create(books, { ...input, idempotencyKey })).rejects.toMatchObject({ problem })
  }
})
