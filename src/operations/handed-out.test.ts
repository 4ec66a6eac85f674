import { expect, test } from 'bun:test'
import { parseNewEmail } from '../accounts/email-address.ts'
import { linkTable } from '../testing/link-table.ts'
import { openTestAccounts, type TestAccounts } from '../testing/test-accounts.ts'
import type { Caller } from './operation.ts'
import { isFor, type OperationName, perform } from './operations.ts'

const base = { baseUrl: 'http://box', adminUrl: 'http://box' }
const commandLine: Caller = { kind: 'operator', actor: 'cli:test', ...base }

function people(books: TestAccounts) {
  const { stores } = books
  const make = (name: string, isOperator: boolean) => {
    const email = parseNewEmail(`${name}@example.org`)
    const id = email && stores.accounts.create({ email, name })
    if (id === undefined) throw new Error('no account')
    if (isOperator) stores.accounts.setRole(id, 'operator', 'hand')
    return id
  }
  return {
    owner: stores.accounts.ensureOperator().id,
    ...{
      operator: make('ann', true),
      other: make('abe', true),
      member: make('bob', false),
      stranger: make('cid', false),
    },
  }
}

function onPage({ stores }: TestAccounts, accountId: string): Caller {
  const session = stores.sessions.begin(accountId, { hasRoleRights: true })
  return { kind: 'operator', actor: `operator:${accountId}`, accountId, session, ...base }
}

function member({ stores }: TestAccounts, accountId: string): Caller {
  return { kind: 'account', accountId, session: stores.sessions.begin(accountId), network: '' }
}

const call = (books: TestAccounts, caller: Caller, name: OperationName, input: object) =>
  perform(books.services, caller, { name, input })

/** Ways to get a secret of an account. */
const ways: readonly ((books: TestAccounts, account: string) => readonly [OperationName, object])[] = [
  (_, account) => ['admin-link', { account }],
  (_, account) => ['accounts-sign-in-link', { account }],
  ({ stores }, account) => ['outbox-open', { mail: stores.outbox.add(account, 'sign-in') }],
  (_, account) => ['keys-create', { account, name: 'k' }],
]

function asking(books: TestAccounts, all: ReturnType<typeof people>, asks: string): readonly [Caller, string] {
  if (asks === 'command line') return [commandLine, '']
  if (asks === 'member') return [member(books, all.member), all.member]
  const accountId = asks === 'owner on a page' ? all.owner : all.operator
  return [onPage(books, accountId), accountId]
}

test('the table of links and keys has every pair', () => {
  expect(linkTable.map(({ asks, whom }) => `${asks}, ${whom}`).sort()).toEqual(
    [
      ...['command line', 'owner on a page'].flatMap((asks) =>
        ['owner', 'operator', 'member'].map((whom) => `${asks}, ${whom}`),
      ),
      ...['operator on a page', 'member'].flatMap((asks) =>
        ['owner', 'operator', 'the same account', 'member'].map((whom) => `${asks}, ${whom}`),
      ),
    ].sort(),
  )
})

test.each(linkTable)('$asks gets of $whom what the table says', async ({ asks, whom, gets }) => {
  for (const [index, way] of ways.entries()) {
    using books = openTestAccounts()
    const all = people(books)
    const [caller, own] = asking(books, all, asks)
    const others =
      asks === 'member' ? { member: all.stranger, operator: all.operator } : { member: all.member, operator: all.other }
    const accounts: Readonly<Record<string, string>> = { ...all, ...others, 'the same account': own }
    const account = accounts[whom] ?? ''
    const [name, input] = way(books, account)
    const cell = gets[index]
    const outcome = isFor(caller.kind, name)
      ? await call(books, caller, name, input).then(
          () => 'yes',
          () => 'no',
        )
      : 'no'
    if (cell === 'none waits') expect([asks, outcome]).toEqual([asks, asks === 'command line' ? 'yes' : 'no'])
    else expect(`${name}: ${outcome}`).toBe(`${name}: ${cell}`)
  }
})

test('a page that names no account gets nothing of the owner’s', async () => {
  using books = openTestAccounts()
  const all = people(books)
  const page = onPage(books, all.operator)
  const problem = { code: 'own_account' }
  await expect(call(books, page, 'admin-link', {})).rejects.toMatchObject({ problem })
  await expect(call(books, page, 'admin-link', { url: 'http://box' })).rejects.toMatchObject({ problem })
  expect(await call(books, page, 'keys-create', { name: 'k' })).toMatchObject({ account: all.operator })
})

const endings = [
  ['accounts-set-role', { role: 'member' }],
  ['accounts-set-disabled', { isDisabled: true }],
] as const

test.each(endings)('%s ends what the operator handed out unused, and links to the account', async (name, how) => {
  using books = openTestAccounts()
  const { stores } = books
  const all = people(books)
  const page = onPage(books, all.operator)
  const asPage = async (operation: OperationName, input: object) => (await call(books, page, operation, input)) as never
  const tokenOf = ({ link }: { link: string }) => link.replace(/.*(#|=)/, '')
  const setup = tokenOf(await asPage('admin-link', { account: all.other }))
  const ownSetup = tokenOf(await asPage('admin-link', { account: all.operator }))
  const signIn = tokenOf(await asPage('accounts-sign-in-link', { account: all.member }))
  const mail = tokenOf(await asPage('outbox-open', { mail: stores.outbox.add(all.member, 'confirm') }))
  const keys: { key: string; id: string }[] = []
  for (const account of [all.member, all.member, all.operator])
    keys.push(await asPage('keys-create', { account, name: 'k' }))
  const kinds = () => keys.map(({ key }) => stores.keys.verify(key).kind)
  const ofOperator = (await asPage('keys-create', { account: all.other, name: 'k' })) as { key: string }
  const [, used] = keys
  // Checking a key counts as its use.
  for (const key of [used?.key ?? '', ofOperator.key]) expect(stores.keys.verify(key).kind).toBe('valid')

  // Keys that other operators made for the same accounts stay.
  const ofOther = onPage(books, all.other)
  const kept = (await call(books, ofOther, 'keys-create', { account: all.member, name: 'kept' })) as { key: string }

  await call(books, commandLine, name, { account: all.operator, ...how })
  expect(stores.setupLinks.check(setup).kind).toBe('used')
  expect(stores.mailTokens.check(signIn, 'sign-in').kind).toBe('used')
  expect(stores.mailTokens.check(mail, 'confirm').kind).toBe('used')
  expect(kinds().slice(0, 2)).toEqual(['revoked', 'valid'])
  expect(stores.keys.verify(ofOperator.key).kind).toBe('revoked')
  expect(stores.keys.verify(kept.key).kind).toBe('valid')
  const [entry] = stores.audit.list({ accountId: all.operator })
  expect(entry?.details).toMatchObject({ voided: { links: 3, keys: 2 } })

  // The secrets stay ended when the rights come back.
  await call(books, commandLine, 'accounts-set-disabled', { account: all.operator, isDisabled: false })
  await call(books, commandLine, 'accounts-set-role', { account: all.operator, role: 'operator' })
  expect(stores.setupLinks.check(ownSetup).kind).toBe('used')
  expect(kinds()[0]).toBe('revoked')
})
