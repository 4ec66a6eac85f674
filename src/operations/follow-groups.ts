/** Roles, teams and limits that groups of an identity provider give. */
import type { AccountRow } from '../accounts/account-row.ts'
import type { Identity } from '../accounts/oidc/identity-claims.ts'
import { type Limits, strictest } from '../billing/limits.ts'
import type { GroupLimits, IdentityProvider } from '../core/identity-provider.ts'
import { roles } from '../core/roles.ts'
import type { OperationServices } from './operation.ts'
import { changeRole } from './staff.ts'
import type { Stores } from './stores.ts'
import { joinTeam, leaveTeam } from './teams.ts'

type Context = Pick<OperationServices, 'stores' | 'models'>

/**
 * Gives an account the highest role, the teams and the strictest limits of its person's groups. What was given by hand
 * stays.
 */
export function followGroups(
  context: Context,
  account: AccountRow,
  { identity, settings }: { readonly identity: Identity; readonly settings: IdentityProvider },
): void {
  const { stores } = context
  const isIn = (groups: readonly string[]) => groups.some((group) => identity.groups.includes(group))
  if (settings.roles.size > 0) {
    const role = roles.findLast((each) => isIn(settings.roles.get(each) ?? []))
    changeRole(stores, account, { role: role ?? 'member', source: 'groups', actor: 'system' })
  }
  for (const [name, groups] of settings.teams) followTeam(stores, account.id, { name, isIn: isIn(groups) })
  if (settings.limits.size === 0) return
  const limits = [...settings.limits].flatMap(([group, each]) =>
    isIn([group]) ? [withCanonicalIds(context, each)] : [],
  )
  followLimits(stores, account.id, limits.reduce<Limits>(strictest, {}))
}

function followLimits(stores: Stores, accountId: string, limits: Limits): void {
  if (Bun.deepEquals(limits, stores.limits.bySource(accountId).groups ?? {})) return
  stores.limits.set(accountId, limits, 'groups')
  const details = { subject: accountId, source: 'groups', limits: JSON.parse(JSON.stringify(limits)) }
  stores.audit.append({ actor: 'system', action: 'limits.set', accountId, details })
}

/** Lets a person join or leave a team. Teams that do not exist are left out. */
function followTeam(
  stores: Stores,
  member: string,
  { name, isIn }: { readonly name: string; readonly isIn: boolean },
): void {
  const team = stores.teams.find(name)
  if (team === undefined) return
  const change = { team, member, source: 'groups', actor: 'system' } as const
  if (!isIn) leaveTeam(stores, change)
  // Groups make members; who manages a team is decided by hand.
  else if (stores.teams.membership(team, member) === undefined) joinTeam(stores, change, 'member')
}

function withCanonicalIds({ models }: Context, { models: names, ...limits }: GroupLimits): Limits {
  return { ...limits, ...(names && { models: names.map((name) => models?.find(name) ?? name) }) }
}
