/** Accounts that a person pays from: the own one, and those of teams. */
import type { KeyRow } from '../accounts/keys.ts'
import { scopeOf } from './find-account.ts'
import type { OperationContext } from './operation.ts'
import { OperationError } from './problem.ts'

type Context = Pick<OperationContext<'operator' | 'account'>, 'caller' | 'stores'>

/** Part of an account's keys and use that a caller sees. */
export interface Share {
  readonly accountId: string | undefined
  /** Member whose part it is. Undefined for the whole account. */
  readonly holderId?: string | undefined
}

/**
 * Returns what a caller sees of an account, which is the own one if none is named: of a team the own part, or with
 * `forManagers` all if the caller manages it. Throws OperationError for other accounts.
 */
export function shareOf(context: Context, reference: string | undefined, { forManagers = false } = {}): Share {
  const { caller, stores } = context
  const isTeam = reference !== undefined && stores.accounts.find(reference)?.kind === 'team'
  if (caller.kind === 'operator' || !isTeam || reference === caller.accountId)
    return {
      accountId: scopeOf(context, reference),
      holderId: caller.kind === 'account' ? caller.holderId : undefined,
    }
  const membership = stores.teams.membership(reference, caller.accountId)
  if (membership === undefined) throw new OperationError({ code: 'not_a_member', team: reference })
  const seesAll = forManagers && membership.role === 'manager'
  return { accountId: reference, holderId: seesAll ? undefined : caller.accountId }
}

/**
 * Returns a key that an account names by its id: an own one, one that it holds or, with `forManagers`, one of a team that
 * it manages. Undefined for all others.
 */
export function ownKey({ stores, caller }: Context, id: string, { forManagers = false } = {}): KeyRow | undefined {
  const key = stores.keys.find(id)
  if (caller.accountId === undefined || key?.id !== id) return undefined
  const holderId = caller.kind === 'account' ? caller.holderId : undefined
  const isOfAccount = key.accountId === caller.accountId && key.holderId === holderId
  const isOwn = isOfAccount || key.holderId === caller.accountId
  const isManaged = () => stores.teams.membership(key.accountId, caller.accountId ?? '')?.role === 'manager'
  return isOwn || (forManagers && isManaged()) ? key : undefined
}
