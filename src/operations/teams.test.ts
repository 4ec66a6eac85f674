import { expect, test } from 'bun:test'
import { type GroupedUsage, nothingConsumed } from '../core/usage.ts'
import { endedRecord } from '../testing/ended-record.ts'
import { openTestAccounts, type TestAccounts } from '../testing/test-accounts.ts'
import type { Caller } from './operation.ts'
import { type OperationName, perform } from './operations.ts'

const commandLine = { kind: 'operator', actor: 'cli:test', baseUrl: 'http://localhost' } as const

// biome-ignore lint/suspicious/noExplicitAny: results of any operation
function call(books: TestAccounts, caller: Caller, name: OperationName, input: object): Promise<any> {
  return perform(books.services, caller, { name, input })
}

/** A team of two members and a manager, each with a key of the team and a request that it paid. */
async function openTeam() {
  const books = openTestAccounts()
  const { id: team } = await call(books, commandLine, 'teams-create', { name: 'Research' })
  const member = async (name: string, role: 'member' | 'manager') => {
    const { accountId } = books.account(0)
    await call(books, commandLine, 'teams-add', { team, account: accountId, role })
    const caller: Caller = { kind: 'account', accountId, network: '' }
    const key = await call(books, caller, 'keys-create', { account: team, name })
    const requestId = `req_${name}`
    books.stores.usage.insert({
      ...endedRecord,
      ...{ requestId, accountId: team, keyId: key.id, endpoint: 'chat/completions', model: 'a/b', finish: 'stop' },
      ...{ used: nothingConsumed, pricing: { unit: '1M_tokens' }, costNanoUsd: 5, chargedNanoUsd: 0, isMetered: false },
    })
    return { accountId, caller, key, requestId }
  }
  const people = {
    ada: await member('ada', 'member'),
    bob: await member('bob', 'member'),
    mia: await member('mia', 'manager'),
  }
  return { books, team, ...people, [Symbol.dispose]: () => books[Symbol.dispose]() }
}

test('a key that a member makes is paid by the team and held by the member', async () => {
  using box = await openTeam()
  const { books, team, ada } = box
  expect(ada.key.account).toBe(team)
  expect(books.stores.keys.verify(ada.key.key)).toMatchObject({ accountId: team, holderId: ada.accountId })
  expect(await call(books, ada.caller, 'keys-list', {})).toHaveLength(1)
})

test('members see their own keys and use of the team, and managers all', async () => {
  using box = await openTeam()
  const { books, team, ada, bob, mia } = box
  const names = async (caller: Caller) =>
    (await call(books, caller, 'keys-list', { account: team })).map(({ name }: { name: string }) => name).sort()
  expect(await names(ada.caller)).toEqual(['ada'])
  expect(await names(mia.caller)).toEqual(['ada', 'bob', 'mia'])
  const requests = async (caller: Caller) =>
    (await call(books, caller, 'usage-report', { account: team, by: ['key'] })).total.requests
  expect([await requests(ada.caller), await requests(mia.caller)]).toEqual([1, 3])
  // Single requests tell when colleagues worked, so they are their holder's alone.
  expect(await call(books, mia.caller, 'usage-list', { account: team })).toMatchObject([{ requestId: 'req_mia' }])
  expect(await call(books, ada.caller, 'usage-receipt', { request: ada.requestId })).toMatchObject({ keyName: 'ada' })
  for (const caller of [bob.caller, mia.caller])
    await expect(call(books, caller, 'usage-receipt', { request: ada.requestId })).rejects.toMatchObject({
      problem: { code: 'not_found' },
    })
})

test('a manager sees which colleague used how much, and a member the own part', async () => {
  using box = await openTeam()
  const { books, team, ada, bob, mia } = box
  await call(books, commandLine, 'teams-remove', { team, account: bob.accountId })
  const report = async (caller: Caller, input: object = { account: team }) =>
    (await call(books, caller, 'usage-report', { by: ['holder'], ...input })).rows.map(
      (row: GroupedUsage) => [row.groups[0]?.id, row.requests, row.costNanoUsd] as const,
    )
  const all = [ada, bob, mia].map(({ accountId }) => [accountId, 1, 5] as const)
  expect((await report(mia.caller)).sort()).toEqual(all.toSorted())
  expect(await report(ada.caller)).toEqual([[ada.accountId, 1, 5]])
  expect((await report(commandLine)).sort()).toEqual(all.toSorted())
  // A key of a person's own account has no other holder.
  const own = books.account(0)
  books.stores.usage.insert({
    ...endedRecord,
    ...{ requestId: 'req_own', ...own, endpoint: 'chat/completions', model: 'a/b', finish: 'stop' },
    ...{ used: nothingConsumed, pricing: { unit: '1M_tokens' }, costNanoUsd: 9, chargedNanoUsd: 0, isMetered: false },
  })
  expect(await report(commandLine, { limit: 1 })).toEqual([
    ['', 3, 15],
    [own.accountId, 1, 9],
  ])
})

test('members end and limit no keys of others, managers all of their team', async () => {
  using box = await openTeam()
  const { books, ada, bob, mia } = box
  const unknown = { problem: { code: 'not_found', what: 'key' } }
  for (const [name, input] of [
    ['keys-revoke', { key: ada.key.id }],
    ['keys-rename', { key: ada.key.id, name: 'x' }],
    ['limits-set', { subject: ada.key.id, parallel: 1 }],
    ['limits-show', { subject: ada.key.id }],
  ] as const)
    await expect(call(books, bob.caller, name, input)).rejects.toMatchObject(unknown)
  // Their limits are set by managers.
  await expect(call(books, ada.caller, 'limits-set', { subject: ada.key.id, parallel: 1 })).rejects.toMatchObject(
    unknown,
  )
  expect(await call(books, mia.caller, 'limits-set', { subject: ada.key.id, parallel: 1 })).toMatchObject({
    parallel: 1,
  })
  await call(books, mia.caller, 'keys-revoke', { key: ada.key.id })
  expect(books.stores.keys.verify(ada.key.key).kind).toBe('revoked')
})

test('others are no members, whatever they name', async () => {
  using box = await openTeam()
  const { books, team, ada } = box
  const stranger: Caller = { kind: 'account', accountId: books.account(0).accountId, network: '' }
  for (const [name, input] of [
    ['keys-create', { name: 'x' }],
    ['keys-list', {}],
    ['usage-list', {}],
    ['usage-report', { by: ['model'] }],
    ['keys-ensure-playground', {}],
  ] as const)
    await expect(call(books, stranger, name, { account: team, ...input })).rejects.toMatchObject({
      problem: { code: 'not_a_member' },
    })
  for (const extra of [{ holder: ada.accountId }, { holderId: ada.accountId }, { role: 'operator' }, { kind: 'team' }])
    await expect(call(books, ada.caller, 'keys-create', { account: team, name: 'x', ...extra })).rejects.toMatchObject({
      problem: { code: 'invalid_input', rule: 'is not a field of this operation' },
    })
})

test('leaving ends the keys, and a team ends without members alone', async () => {
  using box = await openTeam()
  const { books, team, ada, bob, mia } = box
  await expect(call(books, commandLine, 'teams-delete', { team })).rejects.toMatchObject({
    problem: { code: 'team_has_members' },
  })
  expect(await call(books, commandLine, 'teams-remove', { team, account: ada.accountId })).toMatchObject({ keys: 1 })
  expect(books.stores.keys.verify(ada.key.key).kind).toBe('revoked')
  await expect(call(books, ada.caller, 'keys-list', { account: team })).rejects.toMatchObject({
    problem: { code: 'not_a_member' },
  })
  for (const { accountId } of [bob, mia]) await call(books, commandLine, 'teams-remove', { team, account: accountId })
  expect((await call(books, commandLine, 'teams-delete', { team })).disabledMs).toBeNumber()
  expect(books.stores.checkIntegrity().problems).toEqual([])
  books.stores.keys.create({ accountId: team, holderId: ada.accountId, name: 'x' })
  expect(books.stores.checkIntegrity().problems).toEqual([
    expect.stringContaining('is held by somebody who is no member of its team'),
  ])
})

test('a team is given no role', async () => {
  using books = openTestAccounts()
  const { id: account } = await call(books, commandLine, 'teams-create', { name: 'Research' })
  const refused = await call(books, commandLine, 'accounts-set-role', { account, role: 'operator' }).catch(
    (error) => error,
  )
  expect(refused.problem).toMatchObject({ code: 'invalid_input', field: 'account' })
})
