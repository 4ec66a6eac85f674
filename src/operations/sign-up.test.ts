import { expect, test } from 'bun:test'
import { clientNetwork } from '../http/client-address.ts'
import { openTestAccounts, type TestAccounts } from '../testing/test-accounts.ts'
import type { AccountRules } from './operation.ts'
import { type OperationInput, type OperationResult, perform } from './operations.ts'
import { OperationError } from './problem.ts'

const starterCreditNanoUsd = 1_000_000_000

type Request = Partial<OperationInput<'accounts-sign-up'>> & { readonly network?: string }

async function signUpIn(books: TestAccounts, request: Request, rules: Partial<AccountRules> = {}) {
  const { network = '10.0.0.1', ...fields } = request
  const services = { ...books.services, rules: { ...books.services.rules, ...rules } }
  const input = { email: 'ada@example.org', ...fields }
  const made = await perform(services, { kind: 'anybody', network }, { name: 'accounts-sign-up', input })
  return made as OperationResult<'accounts-sign-up'>
}

async function confirm(books: TestAccounts, token: string, rules: Partial<AccountRules> = {}) {
  const services = { ...books.services, rules: { ...books.services.rules, ...rules } }
  const operation = { name: 'accounts-confirm', input: { token } } as const
  const { outcome } = (await perform(
    services,
    { kind: 'anybody', network: '' },
    operation,
  )) as OperationResult<'accounts-confirm'>
  return outcome
}

// biome-ignore lint/suspicious/noExplicitAny: a problem, or whatever was made
async function refusal(work: Promise<unknown>): Promise<any> {
  const outcome: unknown = await work.catch((thrown: unknown) => thrown)
  return outcome instanceof OperationError ? outcome.problem : outcome
}

test('an account begins with a key that works, nothing on it, and a confirmation mail', async () => {
  using books = openTestAccounts()
  const { accountId, email, key } = await signUpIn(books, { name: 'Ada', keyName: 'laptop', password: 'countess-of-l' })
  const { keys, ledger, outbox, audit, accounts } = books.stores
  expect(email).toBe('ada@example.org')
  expect(keys.verify(key.key)).toEqual({ kind: 'valid', keyId: key.id, accountId })
  expect(accounts.find(accountId)).toMatchObject({
    email: 'ada@example.org',
    name: 'Ada',
    balanceNanoUsd: 0,
    confirmedMs: undefined,
    isUnmetered: false,
  })
  expect(ledger.list({ accountId, limit: 9 })).toMatchObject([{ kind: 'signup', amountNanoUsd: 0 }])
  expect(outbox.list({ isWaiting: true, limit: 9 })).toMatchObject([{ address: 'ada@example.org', purpose: 'confirm' }])
  expect(audit.list({ limit: 9 })).toMatchObject([
    { action: 'key.create', accountId },
    { action: 'account.create', accountId },
  ])
  expect(accounts.passwordHash(accountId)).toStartWith('$argon2id$')
})

test.each([
  [{ email: 'ada' }, { code: 'invalid_email', email: 'ada' }],
  [{ email: 'ada@mailinator.com' }, { code: 'disposable_email', domain: 'mailinator.com' }],
  [{ email: 'ada@deep.sub.mailinator.com' }, { code: 'disposable_email', domain: 'deep.sub.mailinator.com' }],
  [{ email: 'ada@rival.example' }, { code: 'disposable_email', domain: 'rival.example' }],
  [{ email: 'ada@mail.rival.example' }, { code: 'disposable_email', domain: 'mail.rival.example' }],
  [{ password: 'short' }, { code: 'weak_password', field: 'password', rule: 'have 8 to 200 characters' }],
])('%p is refused and leaves nothing', async (request, expected) => {
  using books = openTestAccounts()
  expect(await refusal(signUpIn(books, request, { blockedEmailDomains: ['rival.example'] }))).toEqual(expected)
  expect(books.stores.accounts.list()).toEqual([])
  expect(books.stores.outbox.list({ isWaiting: false, limit: 9 })).toEqual([])
})

test('no signups where the operator wants none', async () => {
  using books = openTestAccounts()
  expect(await refusal(signUpIn(books, {}, { isSignupOpen: false }))).toEqual({ code: 'signup_closed' })
})

test('of twenty signups of one person at once exactly one is made', async () => {
  using books = openTestAccounts()
  const emails = ['ada@example.org', 'ADA@example.org', 'ada+x@example.org', 'ada@EXAMPLE.org']
  const outcomes = await Promise.all(
    Array.from({ length: 20 }, (_, index) =>
      refusal(signUpIn(books, { email: emails[index % 4] ?? '', network: `10.0.0.${index}` })),
    ),
  )
  const taken = outcomes.filter((outcome) => outcome.code === 'email_taken')
  expect(taken).toHaveLength(19)
  expect(books.stores.accounts.list()).toHaveLength(1)
  expect(books.stores.keys.list()).toHaveLength(1)
})

test('a client makes five accounts a day; IPv6 counts by the /64', async () => {
  let nowMs = Date.UTC(2026, 10, 20, 23, 59, 0)
  using books = openTestAccounts(':memory:', () => nowMs)
  let people = 0
  const from = (clientAddress: string) =>
    refusal(signUpIn(books, { network: clientNetwork(clientAddress), email: `p${++people}@example.org` }))
  for (let index = 0; index < 5; index++)
    expect(await from('10.0.0.1')).toMatchObject({ email: `p${people}@example.org` })
  expect(await from('10.0.0.1')).toMatchObject({ code: 'signup_limit', maximum: 5 })
  expect(books.stores.accounts.list()).toHaveLength(5)
  expect(await from('10.0.0.2')).toMatchObject({ email: 'p7@example.org' })
  for (let index = 0; index < 5; index++) await from(`2001:db8:1:2:${index}::1`)
  expect(await from('2001:db8:1:2:ffff::9')).toMatchObject({ code: 'signup_limit', maximum: 5 })
  expect(await from('2001:db8:1:3::1')).toMatchObject({ email: expect.any(String) })
  expect(await refusal(signUpIn(books, { email: 'late@example.org' }))).toMatchObject({ retryAfterSeconds: 60 })
  nowMs += 60_000
  expect(await from('10.0.0.1')).toMatchObject({ email: expect.any(String) })
})

test('accounts that are made and tries that make none have a limit each', async () => {
  using books = openTestAccounts()
  await signUpIn(books, { network: '10.0.0.2' })
  const rules = { signupLimits: { accounts: 2, tries: 3 } }
  const outcomes = async (network: string, ...emails: string[]) => {
    const codes: unknown[] = []
    for (const email of emails) {
      const { code = 'made', of } = await refusal(signUpIn(books, { email: `${email}@example.org`, network }, rules))
      codes.push(of === undefined ? code : `${code} of ${of}`)
    }
    return codes
  }
  const taken = 'email_taken'
  expect(await outcomes('10.0.0.3', 'ada', 'a', 'ada', 'ada', 'b', 'ada')).toEqual([
    ...[taken, 'made', taken, taken, 'signup_limit of tries', 'signup_limit of tries'],
  ])
  expect(await outcomes('10.0.0.4', 'ada', 'ada', 'c', 'd', 'e', 'ada')).toEqual([
    ...[taken, taken, 'made', 'made', 'signup_limit of accounts', 'signup_limit of accounts'],
  ])
})

test('of tries at once no more than the limit learn whether the address is taken', async () => {
  using books = openTestAccounts()
  const rules = { signupLimits: { accounts: 2, tries: 10 } }
  const codes = await Promise.all(
    Array.from({ length: 20 }, (_, index) => refusal(signUpIn(books, { email: `p${index}@example.org` }, rules))),
  )
  expect(codes.filter(({ of }) => of === 'tries')).toHaveLength(10)
  expect(codes.filter(({ of }) => of === 'accounts')).toHaveLength(8)
  expect(books.stores.accounts.list()).toHaveLength(2)
})

test.each([
  '\u00a0'.repeat(8),
  '\u200b'.repeat(8),
  ' \t\u3000\u2800\u3164\u2003\ufeff\u202e',
  `a${' '.repeat(7)}`,
  '        ',
])('a password of which less than eight characters are seen is refused: %j', async (password) => {
  using books = openTestAccounts()
  expect(await refusal(signUpIn(books, { password }))).toMatchObject({ code: 'weak_password', field: 'password' })
  const { accountId } = await signUpIn(books, { email: 'bob@example.org' })
  const caller = { kind: 'account', accountId, network: '' } as const
  const set = perform(books.services, caller, { name: 'accounts-set-password', input: { new: password } })
  expect(await refusal(set)).toMatchObject({ code: 'weak_password', field: 'new' })
  const { id } = books.stores.accounts.ensureOperator()
  const { token } = books.stores.setupLinks.mint(id)
  const input = { token, name: 'Ada', password }
  const setUp = perform(books.services, { kind: 'anybody', network: '' }, { name: 'admin-setup', input })
  expect(await refusal(setUp)).toMatchObject({ code: 'weak_password', field: 'password' })
})

test('blanks within a password count', async () => {
  using books = openTestAccounts()
  expect(await signUpIn(books, { password: 'a b c d é' })).toMatchObject({ email: 'ada@example.org' })
})

test('a signup that is malformed is refused alike whether or not the address is taken, and not counted', async () => {
  using books = openTestAccounts()
  await signUpIn(books, {})
  for (let index = 0; index < 9; index++) {
    for (const email of ['ada@example.org', 'nobody@example.org']) {
      expect(await refusal(signUpIn(books, { email, password: 'short' }))).toMatchObject({ code: 'weak_password' })
    }
  }
  for (let index = 0; index < 4; index++) await signUpIn(books, { email: `p${index}@example.org` })
  expect(books.stores.accounts.list()).toHaveLength(5)
})

test('confirming adds the starter credit once, however often and by however many links', async () => {
  using books = openTestAccounts()
  const { stores } = books
  const { accountId } = await signUpIn(books, {})
  const links = [stores.mailTokens.mint(accountId, 'confirm'), stores.mailTokens.mint(accountId, 'confirm')]
  const outcomes = await Promise.all(Array.from({ length: 20 }, (_, index) => confirm(books, links[index % 2] ?? '')))
  expect(outcomes.filter((outcome) => outcome === 'confirmed')).toHaveLength(1)
  expect(outcomes.filter((outcome) => outcome === 'already')).toHaveLength(19)
  expect(books.money(accountId)).toEqual({ balance: starterCreditNanoUsd, held: 0 })
  expect(stores.ledger.list({ accountId, limit: 9 }).map(({ kind }) => kind)).toEqual(['starter_credit', 'signup'])
  expect(await confirm(books, 'nonsense')).toBe('unknown')
})

test('without a starter credit confirming adds nothing', async () => {
  using books = openTestAccounts()
  const { accountId } = await signUpIn(books, {})
  const token = books.stores.mailTokens.mint(accountId, 'confirm')
  expect(await confirm(books, token, { starterCreditNanoUsd: 0 })).toBe('confirmed')
  expect(books.money(accountId).balance).toBe(0)
})
