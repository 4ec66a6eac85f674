import { expect, test } from 'bun:test'
import { ApiError } from '../core/errors.ts'
import { openTestAccounts, type TestAccounts } from '../testing/test-accounts.ts'
import { confirmAddress } from './confirm-address.ts'
import { type SignUpRequest, signUp } from './sign-up.ts'

const starterCreditNanoUsd = 1_000_000_000

function signUpIn(books: TestAccounts, request: Partial<SignUpRequest>, rules: object = {}) {
  const { stores } = books
  return signUp(
    { ...stores, limit: stores.signupLimit, isOpen: true, blockedDomains: [], ...rules },
    { email: 'ada@example.org', clientAddress: '10.0.0.1', ...request },
  )
}

async function refusal(work: Promise<unknown>) {
  const error = await work.catch((thrown: unknown) => thrown)
  return error instanceof ApiError ? [error.kind, error.code, error.param] : error
}

test('an account begins with a key that works, nothing on it, and a confirmation mail', async () => {
  using books = openTestAccounts()
  const { accountId, email, key } = await signUpIn(books, { name: 'Ada', keyName: 'laptop', password: 'countess-of-l' })
  const { directory, keys, ledger, outbox, audit, accounts } = books.stores
  expect(email).toBe('ada@example.org')
  expect(keys.verify(key.key)).toEqual({ kind: 'valid', keyId: key.id, accountId })
  expect(directory.find(accountId)).toMatchObject({
    email: 'ada@example.org',
    name: 'Ada',
    balanceNanoUsd: 0,
    confirmedMs: undefined,
    isUnmetered: false,
  })
  expect(ledger.list(accountId, { limit: 9 })).toMatchObject([{ kind: 'signup', amountNanoUsd: 0 }])
  expect(outbox.list({ isWaiting: true, limit: 9 })).toMatchObject([{ address: 'ada@example.org', purpose: 'confirm' }])
  expect(audit.list({ limit: 9 })).toMatchObject([
    { action: 'key.create', accountId },
    { action: 'account.create', accountId },
  ])
  expect(accounts.passwordHash(accountId)).toStartWith('$argon2id$')
})

test.each([
  [{ email: 'ada' }, ['invalid_request', 'invalid_value', 'email']],
  [{ email: 'ada@mailinator.com' }, ['invalid_request', 'disposable_email', 'email']],
  [{ email: 'ada@deep.sub.mailinator.com' }, ['invalid_request', 'disposable_email', 'email']],
  [{ email: 'ada@rival.example' }, ['invalid_request', 'disposable_email', 'email']],
  [{ email: 'ada@mail.rival.example' }, ['invalid_request', 'disposable_email', 'email']],
  [{ password: 'short' }, ['invalid_request', 'weak_password', 'password']],
])('%p is refused and leaves nothing', async (request, expected) => {
  using books = openTestAccounts()
  expect(await refusal(signUpIn(books, request, { blockedDomains: ['rival.example'] }))).toEqual(expected)
  expect(books.stores.directory.list()).toEqual([])
  expect(books.stores.outbox.list({ isWaiting: false, limit: 9 })).toEqual([])
})

test('no signups where the operator wants none', async () => {
  using books = openTestAccounts()
  expect(await refusal(signUpIn(books, {}, { isOpen: false }))).toEqual(['permission', 'signup_closed', undefined])
})

test('of twenty signups of one person at once exactly one is made', async () => {
  using books = openTestAccounts()
  const emails = ['ada@example.org', 'ADA@example.org', 'ada+x@example.org', 'ada@EXAMPLE.org']
  const outcomes = await Promise.all(
    Array.from({ length: 20 }, (_, index) =>
      refusal(signUpIn(books, { email: emails[index % 4] ?? '', clientAddress: `10.0.0.${index}` })),
    ),
  )
  const taken = outcomes.filter((outcome) => Array.isArray(outcome) && outcome[1] === 'email_taken')
  expect(taken).toHaveLength(19)
  expect(books.stores.directory.list()).toHaveLength(1)
  expect(books.stores.keys.list()).toHaveLength(1)
})

test('a client makes five accounts a day; IPv6 counts by the /64', async () => {
  let nowMs = Date.UTC(2026, 10, 20, 23, 59, 0)
  using books = openTestAccounts(':memory:', () => nowMs)
  let people = 0
  const from = (clientAddress: string) => refusal(signUpIn(books, { clientAddress, email: `p${++people}@example.org` }))
  for (let index = 0; index < 5; index++)
    expect(await from('10.0.0.1')).toMatchObject({ email: `p${people}@example.org` })
  expect(await from('10.0.0.1')).toEqual(['rate_limit', 'signup_limit', undefined])
  expect(books.stores.directory.list()).toHaveLength(5)
  expect(await from('10.0.0.2')).toMatchObject({ email: 'p7@example.org' })
  for (let index = 0; index < 5; index++) await from(`2001:db8:1:2:${index}::1`)
  expect(await from('2001:db8:1:2:ffff::9')).toEqual(['rate_limit', 'signup_limit', undefined])
  expect(await from('2001:db8:1:3::1')).toMatchObject({ email: expect.any(String) })
  const refused = await signUpIn(books, { email: 'late@example.org' }).catch((error: unknown) => error)
  expect(refused).toMatchObject({ retryAfterSeconds: 60 })
  nowMs += 60_000
  expect(await from('10.0.0.1')).toMatchObject({ email: expect.any(String) })
})

test('a network learns of five addresses a day whether they have accounts', async () => {
  using books = openTestAccounts()
  await signUpIn(books, { clientAddress: '10.0.0.2' })
  const codes: unknown[] = []
  for (let index = 0; index < 8; index++) {
    const outcome = await refusal(
      signUpIn(books, { email: index % 2 === 0 ? 'ada@example.org' : `p${index}@example.org` }),
    )
    codes.push(Array.isArray(outcome) ? outcome[1] : 'made')
  }
  expect(codes).toEqual(['email_taken', 'made', 'email_taken', 'made', 'email_taken', ...Array(3).fill('signup_limit')])
})

test('a signup that is malformed is refused alike whether or not the address is taken, and not counted', async () => {
  using books = openTestAccounts()
  await signUpIn(books, {})
  for (let index = 0; index < 9; index++) {
    for (const email of ['ada@example.org', 'nobody@example.org']) {
      expect(await refusal(signUpIn(books, { email, password: 'short' }))).toEqual([
        'invalid_request',
        'weak_password',
        'password',
      ])
    }
  }
  for (let index = 0; index < 4; index++) await signUpIn(books, { email: `p${index}@example.org` })
  expect(books.stores.directory.list()).toHaveLength(5)
})

test('confirming adds the starter credit once, however often and by however many links', async () => {
  using books = openTestAccounts()
  const { stores } = books
  const { accountId } = await signUpIn(books, {})
  const links = [stores.mailTokens.mint(accountId, 'confirm'), stores.mailTokens.mint(accountId, 'confirm')]
  const options = { ...stores, starterCreditNanoUsd }
  const outcomes = await Promise.all(
    Array.from({ length: 20 }, (_, index) => confirmAddress(options, links[index % 2] ?? '')),
  )
  expect(outcomes.filter((outcome) => outcome === 'confirmed')).toHaveLength(1)
  expect(outcomes.filter((outcome) => outcome === 'already')).toHaveLength(19)
  expect(books.money(accountId)).toEqual({ balance: starterCreditNanoUsd, held: 0 })
  expect(stores.ledger.list(accountId, { limit: 9 }).map(({ kind }) => kind)).toEqual(['starter_credit', 'signup'])
  expect(await confirmAddress(options, 'nonsense')).toBe('unknown')
})

test('without a starter credit confirming adds nothing', async () => {
  using books = openTestAccounts()
  const { accountId } = await signUpIn(books, {})
  const token = books.stores.mailTokens.mint(accountId, 'confirm')
  expect(await confirmAddress({ ...books.stores, starterCreditNanoUsd: 0 }, token)).toBe('confirmed')
  expect(books.money(accountId).balance).toBe(0)
})
