import type { AccountRow } from '../accounts/account-directory.ts'
import type { Stores } from '../stores.ts'
import { OperationError } from './errors.ts'

/** The account that a mail address or an id names. Throws OperationError when there is none. */
export function findAccount({ directory }: Stores, reference: string): AccountRow {
  const account = reference.includes('@') ? directory.findByEmail(reference) : directory.find(reference)
  if (account !== undefined) return account
  throw new OperationError(`there is no account "${reference}"; 'inferd users list' shows them`)
}
