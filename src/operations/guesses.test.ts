import { expect, test } from 'bun:test'
import { openTestAccounts, type TestAccounts } from '../testing/test-accounts.ts'
import { type OperationInput, type OperationResult, perform } from './operations.ts'

const network = '10.0.0.1'
const email = 'ada@example.org'
const password = 'countess-of-l'

async function signUpIn({ services }: TestAccounts) {
  const operation = { name: 'accounts-sign-up', input: { email, password } } as const
  const made = await perform(services, { kind: 'anybody', network }, operation)
  return (made as OperationResult<'accounts-sign-up'>).accountId
}

function setPassword({ services }: TestAccounts, accountId: string, input: OperationInput<'accounts-set-password'>) {
  return perform(services, { kind: 'account', accountId, network }, { name: 'accounts-set-password', input })
}

test('right passwords are no guesses', async () => {
  using books = openTestAccounts()
  const accountId = await signUpIn(books)
  for (let index = 0; index < 11; index++) {
    const operation = { name: 'sessions-begin', input: { email, password } } as const
    expect(await perform(books.services, { kind: 'anybody', network }, operation)).toMatchObject({ accountId })
  }
})

test('guesses of the password so far are limited', async () => {
  using books = openTestAccounts()
  const accountId = await signUpIn(books)
  const guess = () => setPassword(books, accountId, { current: 'wrong', new: 'a-new-one-9' })
  for (let index = 0; index < 10; index++) await expect(guess()).rejects.toThrow('wrong_password')
  await expect(guess()).rejects.toThrow('too_many_attempts')
})

test('of two changes of a password at once one is made', async () => {
  using books = openTestAccounts()
  const accountId = await signUpIn(books)
  const changes = ['a-new-one-9', 'another-one-9'].map((next) =>
    setPassword(books, accountId, { current: password, new: next }),
  )
  const outcomes = await Promise.allSettled(changes)
  expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
})

async function makeOperator({ services, stores }: TestAccounts, name: string) {
  const { token } = stores.setupLinks.mint(stores.accounts.ensureOperator().id)
  await perform(services, { kind: 'anybody', network }, { name: 'admin-setup', input: { token, name, password } })
}

function signInAs({ services }: TestAccounts, name: string, guess = password) {
  const operation = { name: 'sessions-begin', input: { email: name, password: guess } } as const
  return perform(services, { kind: 'anybody', network }, operation)
}

test('an operator signs in by the name as it looks: spaces around it, capitals and ways to write accents do not count', async () => {
  using books = openTestAccounts()
  await makeOperator(books, ' Zoe\u0308 ')
  const { id: accountId } = books.stores.accounts.ensureOperator()
  for (const name of ['Zo\u00eb', ' Zoe\u0308 ', 'zo\u00eb']) {
    expect(await signInAs(books, name)).toMatchObject({ accountId, role: 'operator' })
  }
  const caller = { kind: 'account', accountId, network } as const
  const renamed = await perform(books.services, caller, { name: 'accounts-rename-own', input: { name: ' Max  ' } })
  expect(renamed).toEqual({ name: 'Max' })
  expect(await signInAs(books, ' max ')).toMatchObject({ accountId })
})

test("guesses of an operator's password are counted together, however the name is written", async () => {
  using books = openTestAccounts()
  await makeOperator(books, 'operator')
  const names = ['operator', 'Operator', ' operator', 'OPERATOR\t']
  for (let index = 0; index < 10; index++) {
    await expect(signInAs(books, names[index % 4] ?? '', 'wrong')).rejects.toThrow('invalid_credentials')
  }
  await expect(signInAs(books, 'oPERATOR', 'wrong')).rejects.toThrow('too_many_attempts')
})

test('vouchers that are redeemed are no guesses', async () => {
  using books = openTestAccounts()
  const { accountId } = books.account(0)
  for (const { code } of books.stores.vouchers.create({ amountNanoUsd: 1, count: 21, actor: 'cli:test' })) {
    const operation = { name: 'vouchers-redeem', input: { code } } as const
    await perform(books.services, { kind: 'account', accountId, network }, operation)
  }
  expect(books.money(accountId)).toEqual({ balance: 21, held: 0 })
})
