import { expect, test } from 'bun:test'
import { openTestAccounts } from '../testing/test-accounts.ts'

test('leaving a team ends the keys of the team that the person holds, and no other', () => {
  using books = openTestAccounts()
  const { teams, accounts, keys } = books.stores
  const [ada, bob] = [books.account(0).accountId, books.account(0).accountId]
  const team = accounts.createTeam('Research', 'cli:test')
  for (const accountId of [ada, bob]) teams.join(team, accountId, { role: 'member', source: 'hand' })
  const key = (accountId: string, holderId?: string) => keys.create({ accountId, holderId, name: 'x' }).key
  const [ofAda, ofBob, own, service] = [key(team, ada), key(team, bob), key(ada), key(team)]
  keys.createPlaygroundKey(team, ada)
  expect(keys.verify(ofAda)).toMatchObject({ kind: 'valid', accountId: team, holderId: ada })
  expect(teams.leave(team, ada, 'hand')).toBe(2)
  expect([ofAda, ofBob, own, service].map((secret) => keys.verify(secret).kind)).toEqual([
    'revoked',
    'valid',
    'valid',
    'valid',
  ])
  expect(keys.playgroundKey(team, ada)).toBeUndefined()
  expect(teams.teamsOf(ada)).toEqual([])
  expect(teams.leave(team, ada, 'hand')).toBeUndefined()
})

test('a key of a team is refused while its holder is disabled', () => {
  using books = openTestAccounts()
  const { teams, accounts, keys } = books.stores
  const ada = books.account(0).accountId
  const team = accounts.createTeam('Research', 'cli:test')
  teams.join(team, ada, { role: 'member', source: 'hand' })
  const { key } = keys.create({ accountId: team, holderId: ada, name: 'x' })
  accounts.setDisabled(ada, true)
  expect(keys.verify(key).kind).toBe('account-disabled')
  accounts.setDisabled(ada, false)
  accounts.setDisabled(team, true)
  expect(keys.verify(key).kind).toBe('account-disabled')
})

test('groups change only memberships that groups gave', () => {
  using books = openTestAccounts()
  const { teams, accounts } = books.stores
  const ada = books.account(0).accountId
  const [byHand, byGroups] = ['A', 'B'].map((name) => accounts.createTeam(name, 'cli:test')) as [string, string]
  expect(teams.join(byHand, ada, { role: 'manager', source: 'hand' })).toBe(true)
  expect(teams.join(byHand, ada, { role: 'member', source: 'groups' })).toBe(false)
  expect(teams.leave(byHand, ada, 'groups')).toBeUndefined()
  teams.join(byGroups, ada, { role: 'member', source: 'groups' })
  accounts.setUnmetered(byGroups, true)
  expect(teams.join(byGroups, ada, { role: 'member', source: 'groups' })).toBe(false)
  expect(teams.teamsOf(ada)).toEqual([
    { id: byHand, name: 'A', role: 'manager', source: 'hand', balanceNanoUsd: 0 },
    { id: byGroups, name: 'B', role: 'member', source: 'groups', balanceNanoUsd: undefined },
  ])
  expect(teams.leave(byGroups, ada, 'groups')).toBe(0)
})

test('a team never signs in, gets no role and joins no team', () => {
  using books = openTestAccounts()
  const { teams, accounts, sessions } = books.stores
  const [team, other] = ['A', 'B'].map((name) => accounts.createTeam(name, 'cli:test')) as [string, string]
  const ada = books.account(0).accountId
  expect(sessions.find(sessions.begin(team))).toBeUndefined()
  expect(accounts.setRole(team, 'operator', 'hand')).toBe(false)
  const join = (teamId: string, accountId: string) => () =>
    teams.join(teamId, accountId, { role: 'member', source: 'hand' })
  expect(join(team, other)).toThrow('a membership joins a person to a team')
  expect(join(ada, ada)).toThrow('a membership joins a person to a team')
  for (const change of ["email = 'a@example.org'", "password_hash = 'x'", "role = 'operator'", "kind = 'person'"]) {
    expect(() => books.database.run(`UPDATE accounts SET ${change} WHERE id = '${team}'`)).toThrow('a team has no')
  }
})
