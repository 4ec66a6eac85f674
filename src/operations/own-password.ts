import { verifyPassword } from '../accounts/passwords.ts'
import type { OperationContext } from './operation.ts'
import { OperationError } from './problem.ts'

/**
 * Requires an operator on a page to type the own password again, so that a stolen session is not enough. The command
 * line needs none, since it belongs to the machine's owner. Throws OperationError; too many guesses are refused.
 */
export async function requireOwnPassword(
  { stores, limits, caller }: OperationContext<'operator'>,
  current: string | undefined,
): Promise<void> {
  const { accountId, network = 'unknown' } = caller
  if (accountId === undefined) return
  const wasRight = limits.passwordGuesses.begin({ account: accountId, network })
  if (current === undefined || !(await verifyPassword(current, stores.accounts.passwordHash(accountId))))
    throw new OperationError({ code: 'wrong_password' })
  wasRight()
}
