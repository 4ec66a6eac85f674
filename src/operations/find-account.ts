import type { AccountRow } from '../accounts/account-row.ts'
import type { OperationContext } from './operation.ts'
import { OperationError } from './problem.ts'
import type { Stores } from './stores.ts'

/**
 * Returns the account that a mail address or an id names. Throws OperationError if there is none, or if its person was
 * erased.
 */
export function findAccount(stores: Stores, reference: string): AccountRow {
  const account = findAnyAccount(stores, reference)
  if (account.erasedMs !== undefined) throw new OperationError({ code: 'account_erased', account: reference })
  return account
}

/** Returns the account that a mail address or an id names, erased or not. Throws OperationError if there is none. */
export function findAnyAccount({ accounts }: Stores, reference: string): AccountRow {
  const account = reference.includes('@') ? accounts.findByEmail(reference) : accounts.find(reference)
  if (account === undefined) throw new OperationError({ code: 'not_found', what: 'account', name: reference })
  return account
}

/**
 * Returns the id of the account that an operation is limited to: the named one, or an account's own. Undefined for an
 * operator who names none. Throws OperationError if an account names another.
 */
export function scopeOf(
  { caller, stores }: Pick<OperationContext<'operator' | 'account'>, 'caller' | 'stores'>,
  reference: string | undefined,
): string | undefined {
  if (caller.kind === 'operator') return reference === undefined ? undefined : findAnyAccount(stores, reference).id
  if (reference === undefined || reference === caller.accountId) return caller.accountId
  throw new OperationError({ code: 'not_found', what: 'account', name: reference })
}

/** Returns an account that must exist. Throws Error if it does not, which is a bug. */
export function existingAccount({ accounts }: Stores, id: string): AccountRow {
  const account = accounts.find(id)
  if (account === undefined) throw new Error(`there is no account ${id}: this is a bug`)
  return account
}

/**
 * Throws OperationError if a page's request would give away the rights of the operator's own account. `rule` completes
 * "the operator's own account, which".
 */
export function requireGivable(
  { caller, stores }: Pick<OperationContext<'operator' | 'account'>, 'caller' | 'stores'>,
  accountId: string,
  rule: string,
): void {
  const isOnPage = caller.accountId !== undefined
  if (isOnPage && accountId === stores.accounts.ensureOperator().id)
    throw new OperationError({ code: 'own_account', rule })
}

/** Throws OperationError with this `rule` if the account is the operator's own. */
export function requireOther({ accounts }: Stores, { id }: AccountRow, rule: string): void {
  if (id === accounts.ensureOperator().id) throw new OperationError({ code: 'own_account', rule })
}
