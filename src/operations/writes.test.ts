import { expect, test } from 'bun:test'
import { parseNewEmail } from '../accounts/email-address.ts'
import { dayMs } from '../core/durations.ts'
import { openTestAccounts, type TestAccounts } from '../testing/test-accounts.ts'
import { attemptLimits } from './attempt-limits.ts'
import type { Caller } from './operation.ts'
import { isFor, type OperationName, operations, perform } from './operations.ts'

const commandLine: Caller = { kind: 'operator', actor: 'cli:test', baseUrl: 'http://box' }

function call({ services }: TestAccounts, caller: Caller, name: OperationName, input: object) {
  return perform({ ...services, rules: { ...services.rules, sendsMail: true } }, caller, { name, input })
}

test('an account changes something as often as the limits say, whatever it is; nobody else is held up', async () => {
  const clock = { nowMs: 0 }
  using books = openTestAccounts()
  const services = { ...books.services, limits: attemptLimits(() => clock.nowMs) }
  const [ada, bob] = [books.account(0), books.account(0)]
  const as = ({ accountId }: { accountId: string }): Caller => ({ kind: 'account', accountId, network: '' })
  const rename = (caller: Caller, name: string) =>
    perform(services, caller, { name: 'accounts-rename-own', input: { name } })
  for (let index = 0; index < 119; index++) await rename(as(ada), `n${index}`)
  await perform(services, as(ada), { name: 'sessions-end', input: {} })
  const problem = { code: 'too_many_changes', retryAfterSeconds: 60 }
  await expect(rename(as(ada), 'x')).rejects.toMatchObject({ problem })
  await expect(perform(services, as(ada), { name: 'keys-create', input: { name: 'k' } })).rejects.toMatchObject({
    problem,
  })
  await perform(services, as(ada), { name: 'keys-list', input: {} })
  await rename(as(bob), 'x')
  clock.nowMs += 60_000
  await rename(as(ada), 'x')
  const hour = Array.from({ length: 9 }, () => 120)
  for (const count of hour) {
    clock.nowMs += 60_000
    for (let index = 0; index < count; index++) await rename(as(ada), 'x').catch(() => undefined)
  }
  clock.nowMs += 60_000
  await expect(rename(as(ada), 'x')).rejects.toMatchObject({ problem: { code: 'too_many_changes' } })
  for (let index = 0; index < 200; index++)
    await perform(services, commandLine, { name: 'ledger-credit', input: { account: ada.accountId, amount: '1' } })
})

async function withPassword({ stores }: TestAccounts): Promise<string> {
  const email = parseNewEmail('ada@example.org')
  const passwordHash = await Bun.password.hash('countess-of-l', { algorithm: 'argon2id', memoryCost: 8, timeCost: 1 })
  const id = email && stores.accounts.create({ email, name: '', passwordHash })
  if (id === undefined) throw new Error('no account')
  return id
}

const signIn = { name: 'sessions-begin', input: { email: 'ada@example.org', password: 'countess-of-l' } } as const

test('sign-ins by a right password and changes of it are limited alike', async () => {
  using books = openTestAccounts()
  const accountId = await withPassword(books)
  const services = { ...books.services, limits: attemptLimits(() => 0) }
  for (let index = 0; index < 120; index++) services.limits.proofs.take(accountId)
  const problem = { code: 'too_many_changes' }
  await expect(perform(services, { kind: 'anybody', network: '' }, signIn)).rejects.toMatchObject({ problem })
  const input = { current: 'countess-of-l', new: 'analytical-engine' }
  const owner: Caller = { kind: 'account', accountId, network: '' }
  await expect(perform(services, owner, { name: 'accounts-set-password', input })).rejects.toMatchObject({ problem })
})

test('a thief who uses up the limits keeps the owner neither out nor from ending what was stolen', async () => {
  let nowMs = 0
  using books = openTestAccounts()
  const { stores } = books
  const accountId = await withPassword(books)
  const services = { ...books.services, limits: attemptLimits(() => nowMs) }
  const thief: Caller = { kind: 'account', accountId, network: '', session: stores.sessions.begin(accountId) }
  const { id: key } = stores.keys.create({ accountId, name: 'stolen' })
  const rename = { name: 'accounts-rename-own', input: { name: 'x' } } as const
  const useUp = async (count: number) => {
    for (let index = 0; index < count; index++) await perform(services, thief, rename).catch(() => undefined)
  }
  for (let minute = 0; minute < 9; minute++) {
    await useUp(120)
    nowMs += 60_000
  }
  await expect(perform(services, thief, rename)).rejects.toMatchObject({ problem: { code: 'too_many_changes' } })
  await useUp(120)

  const { secret } = (await perform(services, { kind: 'anybody', network: '' }, signIn)) as { secret: string }
  const owner: Caller = { kind: 'account', accountId, network: '', session: secret }
  const input = { current: 'countess-of-l', new: 'analytical-engine' }
  await perform(services, owner, { name: 'accounts-set-password', input })
  await expect(perform(services, thief, { name: 'keys-list', input: {} })).rejects.toMatchObject({
    problem: { code: 'not_signed_in' },
  })
  nowMs += 60_000
  await perform(services, owner, { name: 'keys-revoke', input: { key } })
  expect(stores.keys.list({ accountId, state: 'usable' })).toEqual([])
  await perform(services, owner, { name: 'sessions-end', input: {} })
})

test('an account gets two hundred new keys a day, revoked or not', async () => {
  let nowMs = 1_800_000_000_000
  using books = openTestAccounts(':memory:', () => nowMs)
  const { accountId } = books.account(0)
  const caller: Caller = { kind: 'account', accountId, network: '' }
  for (let index = 1; index < 200; index++) {
    const { id } = books.stores.keys.create({ accountId, name: 'k' })
    books.stores.keys.revoke(id)
  }
  nowMs += dayMs / 2
  const problem = { code: 'too_many_new_keys', maximum: 200, retryAfterSeconds: dayMs / 2 / 1000 }
  const make = () => call(books, caller, 'keys-create', { name: 'k' })
  await expect(make()).rejects.toMatchObject({ problem })
  const page: Caller = { ...commandLine, actor: 'operator:x', accountId: books.stores.accounts.ensureOperator().id }
  await expect(call(books, page, 'keys-create', { account: accountId, name: 'k' })).rejects.toMatchObject({ problem })
  await call(books, commandLine, 'keys-create', { account: accountId, name: 'k' })
  nowMs += dayMs / 2
  await make()
})

/** Operations that may change nothing, each with its input. A repeat leaves no second row in the audit log. */
const repeated: readonly (readonly [OperationName, (books: TestAccounts) => object])[] = [
  ['accounts-rename-own', () => ({ name: ' Ada ' })],
  ['keys-rename', ({ stores }) => ({ key: stores.keys.list()[0]?.id, name: 'new' })],
  ['keys-revoke', ({ stores }) => ({ key: stores.keys.list()[0]?.id })],
  ['keys-ensure-playground', () => ({})],
  ['sessions-end', ({ stores }) => ({ account: stores.keys.list()[0]?.accountId })],
  ['accounts-set-unmetered', ({ stores }) => ({ account: stores.keys.list()[0]?.accountId, isUnmetered: true })],
  ['accounts-set-disabled', ({ stores }) => ({ account: stores.keys.list()[0]?.accountId, isDisabled: true })],
  ['accounts-set-role', ({ stores }) => ({ account: stores.keys.list()[0]?.accountId, role: 'operator' })],
  ['accounts-remove-second-factor', ({ stores }) => ({ account: stores.keys.list()[0]?.accountId })],
  [
    'teams-add',
    (books) => ({ team: books.stores.accounts.list({ state: 'team' })[0]?.id, account: books.account(0).accountId }),
  ],
  ['teams-delete', ({ stores }) => ({ team: stores.accounts.list({ state: 'team' })[0]?.id })],
  ['accounts-erase', ({ stores }) => ({ account: stores.keys.list()[0]?.accountId })],
  ['limits-set', ({ stores }) => ({ subject: stores.keys.list()[0]?.id, parallel: 2, models: ['a/b'] })],
  ['vouchers-revoke', ({ stores }) => ({ id: stores.vouchers.list()[0]?.id })],
  ['models-pin', () => ({ model: 'org/model' })],
  ['licenses-accept', () => ({ license: 'x', text: 'y', modelId: 'z' })],
  ['outbox-retry', ({ stores }) => ({ mail: stores.outbox.list({ isWaiting: true })[0]?.id })],
  ['ledger-credit', ({ stores }) => ({ account: stores.keys.list()[0]?.accountId, amount: '1', idempotencyKey: 'x' })],
  ['vouchers-create', () => ({ amount: '1', count: 1, idempotencyKey: 'a'.repeat(32) })],
]

test.each(repeated)('%s leaves no row in the audit log where nothing changes', async (name, inputOf) => {
  using books = openTestAccounts()
  const { stores } = books
  const { accountId } = books.account(0)
  stores.sessions.begin(accountId)
  stores.accounts.createTeam('Research', 'cli:test')
  const factor = 'INSERT INTO second_factors (account_id, secret, created, confirmed) VALUES (?, ?, 0, 0)'
  books.database.run(factor, [accountId, 'AAAA'])
  stores.vouchers.create({ amountNanoUsd: 1, count: 1, actor: 'system' })
  stores.outbox.markFailed(stores.outbox.add(accountId, 'confirm'), 'x', undefined)
  const caller: Caller =
    isFor('account', name) && !isFor('operator', name) ? { kind: 'account', accountId, network: '' } : commandLine
  const input = inputOf(books)
  const before = stores.audit.list().length
  for (let index = 0; index < 3; index++) await call(books, caller, name, input)
  expect(stores.audit.list().slice(0, -before || undefined)).toHaveLength(1)
})

/** Operations that always change something, or report that nothing is to be done. */
const always: readonly OperationName[] = [
  ...([
    'accounts-create',
    'accounts-export',
    'accounts-sign-in-link',
    'accounts-sign-up',
    'accounts-set-password',
    'keys-create',
    'teams-create',
    'teams-remove',
  ] as const),
  ...(['accounts-confirm', 'accounts-resend-confirmation', 'admin-link', 'admin-setup', 'outbox-open'] as const),
  ...([
    'sessions-begin',
    'sessions-begin-by-link',
    'sessions-send-link',
    'sessions-sign-out',
    'sessions-begin-by-oidc',
    'sessions-end-by-oidc',
    'identities-unlink',
    'second-factor-begin',
    'second-factor-confirm',
    'second-factor-remove',
    'vouchers-redeem',
  ] as const),
  ...(['requests-cancel', 'engines-restart', 'models-unpin', 'models-remove', 'models-pull-cancel'] as const),
  ...([
    'mail-test',
    'webhooks-test',
    'backup',
    'backups-open',
    'backups-check',
    'gpu-probe',
    'server-restart',
  ] as const),
  ...(['backups-add-upload', 'backups-remove', 'backups-restore', 'backups-cancel-restore'] as const),
]
/** Operations that are tested with a running server. */
const ofServer: readonly OperationName[] = [
  ...(['models-load', 'models-unload', 'models-pull', 'endpoints-drain', 'endpoints-resume'] as const),
  ...(['settings-set', 'settings-unset', 'prices-set', 'model-settings-set', 'models-import'] as const),
]

test('every operation that writes is known to change something, or to leave no row', () => {
  const known = [...repeated.map(([name]) => name), ...always, ...ofServer]
  const writing = Object.entries(operations).flatMap(([name, { kind }]) => (kind === 'write' ? [name] : []))
  expect([...known].sort()).toEqual(writing.sort() as typeof known)
})
