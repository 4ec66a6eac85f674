import { expect, test } from 'bun:test'
import { TOTP } from 'otpauth'
import { minuteMs } from '../core/durations.ts'
import { openTestAccounts, type TestAccounts } from '../testing/test-accounts.ts'
import { type OperationInput, type OperationName, type OperationResult, perform } from './operations.ts'

const network = '10.0.0.1'
const name = 'operator'
const password = 'countess-of-l'
const stepMs = 30_000

/** Returns an operator with a password, signed in, over stores whose time the test sets. */
async function openOperator(options: { readonly requiresSecondFactor?: boolean } = {}) {
  const time = { nowMs: 1_800_000_000_000 }
  const books = openTestAccounts(':memory:', () => time.nowMs, options)
  const { token } = books.stores.setupLinks.mint(books.stores.accounts.ensureOperator().id)
  const { accountId, secret: session } = await asAnybody(books, 'admin-setup', { token, name, password })
  const call = <Name extends OperationName>(operation: Name, input: OperationInput<Name>) =>
    perform(books.services, { kind: 'account', accountId, session, network }, { name: operation, input }) as Promise<
      OperationResult<Name>
    >
  return {
    ...{ books, time, accountId, session, call },
    signIn: (input: { code?: string; password?: string } = {}, from = network) =>
      asAnybody(books, 'sessions-begin', { email: name, password, ...input }, from),
    /** Sets up a second factor and returns the function that shows its code, now or some steps away. */
    setUp: async () => {
      const { secret } = await call('second-factor-begin', { current: password })
      const codeAt = (steps = 0) => new TOTP({ secret }).generate({ timestamp: time.nowMs + steps * stepMs })
      await call('second-factor-confirm', { code: codeAt() })
      time.nowMs += 10 * stepMs
      return codeAt
    },
    [Symbol.dispose]: () => books[Symbol.dispose](),
  }
}

async function asAnybody<Name extends OperationName>(
  { services }: TestAccounts,
  operation: Name,
  input: OperationInput<Name>,
  from = network,
) {
  return (await perform(services, { kind: 'anybody', network: from }, { name: operation, input })) as Awaited<
    OperationResult<Name>
  >
}

function outcome(work: Promise<unknown>): Promise<string> {
  return work.then(
    () => 'done',
    (error: unknown) => (error instanceof Error ? error.message : String(error)),
  )
}

/** Returns a code that is none of the right ones. */
function wrongCode(codeAt: (steps?: number) => string): string {
  const right = [-2, -1, 0, 1, 2].map((steps) => codeAt(steps))
  return ['000000', '111111', '222222', '333333', '444444', '555555'].find((code) => !right.includes(code)) ?? ''
}

test('an account with a second factor signs in by password and code', async () => {
  using box = await openOperator()
  const codeAt = await box.setUp()
  expect(await outcome(box.signIn())).toBe('second_factor_needed')
  expect(await outcome(box.signIn({ code: '' }))).toBe('wrong_code')
  expect(await outcome(box.signIn({ code: wrongCode(codeAt) }))).toBe('wrong_code')
  const code = codeAt()
  expect(await box.signIn({ code: `${code.slice(0, 3)} ${code.slice(3)}` })).toMatchObject({ role: 'operator' })
})

test('a wrong password gets the same answer with a right code, a wrong one and none', async () => {
  using box = await openOperator()
  const codeAt = await box.setUp()
  const codes = [{ code: codeAt() }, { code: wrongCode(codeAt) }, {}]
  for (const code of codes)
    expect(await outcome(box.signIn({ password: 'another-one', ...code }))).toBe('invalid_credentials')
  // None of them used up the code.
  expect(await outcome(box.signIn({ code: codeAt() }))).toBe('done')
})

test('a code is good once, and no earlier one after it', async () => {
  using box = await openOperator()
  const codeAt = await box.setUp()
  const [earlier, now] = [codeAt(-1), codeAt()]
  expect(await outcome(box.signIn({ code: now }))).toBe('done')
  expect(await outcome(box.signIn({ code: now }))).toBe('wrong_code')
  expect(await outcome(box.signIn({ code: earlier }))).toBe('wrong_code')
  expect(await outcome(box.signIn({ code: codeAt(1) }))).toBe('done')
})

test('of two sign-ins at once with the same code one begins a session', async () => {
  using box = await openOperator()
  const codeAt = await box.setUp()
  const input = { code: codeAt() }
  const outcomes = await Promise.all([outcome(box.signIn(input)), outcome(box.signIn(input, '10.0.0.2'))])
  expect(outcomes.toSorted()).toEqual(['done', 'wrong_code'])
})

test('the clocks of server and phone may differ by one step', async () => {
  using box = await openOperator()
  const codeAt = await box.setUp()
  expect(await outcome(box.signIn({ code: codeAt(-2) }))).toBe('wrong_code')
  expect(await outcome(box.signIn({ code: codeAt(2) }))).toBe('wrong_code')
  expect(await outcome(box.signIn({ code: codeAt(-1) }))).toBe('done')
  expect(await outcome(box.signIn({ code: codeAt(1) }))).toBe('done')
})

test('guesses of a code are limited over all networks, and right codes are none', async () => {
  using box = await openOperator()
  const codeAt = await box.setUp()
  for (let index = 0; index < 12; index++) {
    expect(await outcome(box.signIn({ code: codeAt() }))).toBe('done')
    box.time.nowMs += stepMs
  }
  const wrong = wrongCode(codeAt)
  for (let index = 0; index < 10; index++)
    expect(await outcome(box.signIn({ code: wrong }, `10.0.1.${index}`))).toBe('wrong_code')
  expect(await outcome(box.signIn({ code: codeAt() }, '10.0.2.1'))).toBe('too_many_attempts')
  // Guesses elsewhere count with them.
  const removal = box.call('second-factor-remove', { current: password, code: codeAt() })
  expect(await outcome(removal)).toBe('too_many_attempts')
})

test('a second factor is set up with the password, and counts once a code confirms it in time', async () => {
  using box = await openOperator()
  expect(await outcome(box.call('second-factor-begin', {}))).toBe('wrong_password')
  expect(await outcome(box.call('second-factor-begin', { current: 'another-one' }))).toBe('wrong_password')
  const { secret: first } = await box.call('second-factor-begin', { current: password })
  const codeOf = (secret: string) => new TOTP({ secret }).generate({ timestamp: box.time.nowMs })
  const { secret: second } = await box.call('second-factor-begin', { current: password })
  expect(await outcome(box.call('second-factor-confirm', { code: codeOf(first) }))).toBe('wrong_code')
  expect(await outcome(box.signIn())).toBe('done')
  box.time.nowMs += 30 * minuteMs
  expect(await outcome(box.call('second-factor-confirm', { code: codeOf(second) }))).toBe('wrong_code')
  const other = await box.signIn()
  await box.setUp()
  expect(box.books.stores.sessions.find(other.secret)).toBeUndefined()
  expect(await outcome(box.call('second-factor-begin', { current: password }))).toBe('second_factor_exists')
})

test('a stolen session cannot use up the guesses of sign-ins', async () => {
  using box = await openOperator()
  const codeAt = await box.setUp()
  for (let index = 0; index < 10; index++)
    expect(await outcome(box.call('second-factor-confirm', { code: '0' }))).toBe('wrong_code')
  expect(await outcome(box.call('second-factor-confirm', { code: '0' }))).toBe('too_many_attempts')
  expect(await outcome(box.signIn({ code: codeAt() }))).toBe('done')
})

test('members are not offered a second factor', async () => {
  using books = openTestAccounts()
  const { accountId } = await asAnybody(books, 'accounts-sign-up', { email: 'ada@example.org', password })
  const caller = { kind: 'account', accountId, network } as const
  const begun = perform(books.services, caller, { name: 'second-factor-begin', input: { current: password } })
  expect(await outcome(begun)).toBe('second_factor_not_offered')
})

test('removing the second factor takes the password and an unused code', async () => {
  using box = await openOperator()
  const codeAt = await box.setUp()
  const code = codeAt()
  const other = await box.signIn({ code })
  const remove = (input: { current?: string; code: string }) => outcome(box.call('second-factor-remove', input))
  expect(await remove({ code: codeAt(1) })).toBe('wrong_password')
  expect(await remove({ current: 'another-one', code: codeAt(1) })).toBe('wrong_password')
  expect(await remove({ current: password, code })).toBe('wrong_code')
  expect(await remove({ current: password, code: codeAt(1) })).toBe('done')
  expect(box.books.stores.sessions.find(other.secret)).toBeUndefined()
  expect(await outcome(box.signIn())).toBe('done')
})

test('a setup link makes a new start without the second factor', async () => {
  using box = await openOperator()
  await box.setUp()
  const { token } = box.books.stores.setupLinks.mint(box.accountId)
  await asAnybody(box.books, 'admin-setup', { token, name, password })
  expect(await outcome(box.signIn())).toBe('done')
})

test('an operator removes the second factor of another account, whose sessions end', async () => {
  using box = await openOperator()
  await box.setUp()
  const remove = (caller: { readonly accountId?: string }) =>
    perform(
      box.books.services,
      { kind: 'operator', actor: 'operator:acc_other', baseUrl: 'http://localhost', ...caller },
      { name: 'accounts-remove-second-factor', input: { account: box.accountId } },
    )
  // The owner of the box is safe from other operators' pages.
  expect(await outcome(remove({ accountId: 'acc_other' }))).toBe('own_account')
  expect(await remove({})).toMatchObject({ hasSecondFactor: false })
  expect(box.books.stores.sessions.find(box.session)).toBeUndefined()
  const [latest] = box.books.stores.audit.list({ limit: 1 })
  expect(latest).toMatchObject({ actor: 'operator:acc_other', action: 'account.second_factor' })
  expect(await outcome(box.signIn())).toBe('done')
})

test('where operators need a second factor, a session has their rights only with it', async () => {
  using box = await openOperator({ requiresSecondFactor: true })
  const { sessions } = box.books.stores
  expect(sessions.find(box.session)).toMatchObject({ role: 'member', lacksSecondFactor: true })
  expect(sessions.list(box.accountId)).toMatchObject([{ role: 'member' }])
  const begun = await box.signIn()
  expect(begun.role).toBe('member')
  const codeAt = await box.setUp()
  expect(sessions.find(box.session)).toMatchObject({ role: 'operator', lacksSecondFactor: false })
  const other = await box.signIn({ code: codeAt() })
  expect(sessions.find(other.secret)?.role).toBe('operator')
  await box.call('second-factor-remove', { current: password, code: codeAt(1) })
  expect(sessions.find(box.session)).toMatchObject({ role: 'member', lacksSecondFactor: true })
})

test('only the answer to the beginning has the secret', async () => {
  using box = await openOperator()
  const { secret } = await box.call('second-factor-begin', { current: password })
  const code = new TOTP({ secret }).generate({ timestamp: box.time.nowMs })
  await box.call('second-factor-confirm', { code })
  const caller = { kind: 'operator', actor: 'cli:ada', baseUrl: 'http://localhost' } as const
  const shown = await perform(box.books.services, caller, { name: 'accounts-show', input: { account: box.accountId } })
  const audit = box.books.stores.audit.list({ limit: 100 })
  expect(JSON.stringify({ shown, audit })).not.toContain(secret)
  expect(shown).toMatchObject({ account: { hasSecondFactor: true } })
})
