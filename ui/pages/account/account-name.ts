import type { OperationJson } from '../../../src/operations/money-text.ts'
import { texts } from '../../texts/operator-texts.ts'

export type Account = OperationJson<'accounts-show'>['account']

export interface AccountPartProps {
  readonly account: Account
  /** Called after a change of the account. */
  readonly onChange: () => void
}

/** Returns the email address, else the name, else a placeholder. */
export function nameOf({ email, name }: Account): string {
  return email ?? (name === '' ? texts.accounts.noAddress : name)
}
