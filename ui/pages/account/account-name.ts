import type { OperationJson } from '../../../src/operations/money-text.ts'
import { texts } from '../../texts/texts.ts'

export type Account = OperationJson<'accounts-show'>['account']

export interface AccountPartProps {
  readonly account: Account
  /** Called when something about the account was changed. */
  readonly onChange: () => void
}

/** What people call an account. */
export function nameOf({ email, name }: Account): string {
  return email ?? (name === '' ? texts.accounts.noAddress : name)
}
