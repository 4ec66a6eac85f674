/** Operations on teams: accounts that pay for the keys of their members. */
import { Type } from '@sinclair/typebox'
import type { AccountRow } from '../accounts/account-row.ts'
import { type TeamRole, teamRoles } from '../accounts/teams.ts'
import { bookReaders, type RoleSource } from '../core/roles.ts'
import { oneOf } from '../core/schemas.ts'
import { accountReference, lineOf, mustBe } from './fields.ts'
import { existingAccount, findAccount } from './find-account.ts'
import { operation } from './operation.ts'
import { OperationError } from './problem.ts'
import type { Stores } from './stores.ts'

const team = lineOf('is named by its id (acc_…)', 100)

/** Makes a team without members and money. */
export const createTeam = operation({
  callers: ['operator'],
  kind: 'write',
  input: Type.Object({ name: lineOf('takes 1 to 100 characters on one line', 100) }),
  run: ({ stores, caller: { actor } }, { name }) => existingAccount(stores, stores.accounts.createTeam(name, actor)),
})

/** Makes a person a member or manager of a team, by hand. */
export const addToTeam = operation({
  callers: ['operator'],
  kind: 'write',
  input: Type.Object({ team, account: accountReference, role: Type.Optional(mustBe(oneOf(teamRoles))) }),
  run: ({ stores, caller: { actor } }, { team: name, account: reference, role = 'member' }) => {
    const { id } = findTeam(stores, name)
    const person = findAccount(stores, reference)
    if (person.kind === 'team') throw new OperationError({ code: 'not_found', what: 'account', name: reference })
    joinTeam(stores, { team: id, member: person.id, source: 'hand', actor }, role)
    return { team: id, account: person.id, role }
  },
})

/** Ends a membership, and the team's keys that the person holds. */
export const removeFromTeam = operation({
  callers: ['operator'],
  kind: 'write',
  input: Type.Object({ team, account: accountReference }),
  run: ({ stores, caller: { actor } }, { team: name, account: reference }) => {
    const { id } = findTeam(stores, name)
    const person = findAccount(stores, reference)
    const keys = leaveTeam(stores, { team: id, member: person.id, source: 'hand', actor })
    if (keys === undefined) throw new OperationError({ code: 'not_found', what: 'member', name: reference })
    return { team: id, account: person.id, keys }
  },
})

/** Lists the members of a team for staff. */
export const showTeam = operation({
  callers: ['operator'],
  roles: bookReaders,
  kind: 'read',
  input: Type.Object({ team }),
  run: ({ stores }, { team: name }) => {
    const account = findTeam(stores, name)
    return { team: account, members: stores.teams.membersOf(account.id) }
  },
})

/** Lists the caller's teams, with the members of those that the caller manages. */
export const listOwnTeams = operation({
  callers: ['account'],
  kind: 'read',
  input: Type.Object({}),
  run: ({ stores, caller: { accountId } }) =>
    stores.teams.teamsOf(accountId).map((own) => ({
      ...own,
      members: own.role === 'manager' ? stores.teams.membersOf(own.id) : undefined,
    })),
})

/** Ends a team that has no members: disables its account, which stays in the books. */
export const deleteTeam = operation({
  callers: ['operator'],
  kind: 'write',
  input: Type.Object({ team }),
  run: ({ stores, caller: { actor } }, { team: name }) => {
    const account = findTeam(stores, name)
    if (stores.teams.hasMembers(account.id)) throw new OperationError({ code: 'team_has_members', team: account.id })
    if (account.disabledMs !== undefined) return account
    stores.accounts.setDisabled(account.id, true)
    stores.audit.append({ actor, action: 'team.delete', accountId: account.id, details: {} })
    return existingAccount(stores, account.id)
  },
})

/** Change of a membership. */
interface Change {
  readonly team: string
  readonly member: string
  readonly source: RoleSource
  readonly actor: string
}

/** Makes a person a member of a team, with an audit entry, unless `Teams.join` refuses. */
export function joinTeam({ teams, audit }: Stores, { team, member, source, actor }: Change, role: TeamRole): void {
  if (!teams.join(team, member, { role, source })) return
  audit.append({ actor, action: 'team.join', accountId: team, details: { member, role, source } })
}

/** Ends a membership, with an audit entry, unless `Teams.leave` refuses. Returns how many keys ended. */
export function leaveTeam({ teams, audit }: Stores, { team, member, source, actor }: Change): number | undefined {
  const keys = teams.leave(team, member, source)
  if (keys === undefined) return undefined
  audit.append({ actor, action: 'team.leave', accountId: team, details: { member, keys, source } })
  return keys
}

function findTeam({ accounts }: Stores, id: string): AccountRow {
  const account = accounts.find(id)
  if (account?.kind !== 'team') throw new OperationError({ code: 'not_found', what: 'team', name: id })
  return account
}
