import { Type } from '@sinclair/typebox'
import { verifyPassword } from '../accounts/passwords.ts'
import { plainText } from './fields.ts'
import type { OperationContext } from './operation.ts'
import { OperationError } from './problem.ts'

/** Own password of the caller, typed again. */
export const ownPassword = Type.Optional(plainText(1000))

/**
 * Requires an operator on a page to type the own password again, so that a stolen session is not enough. The command
 * line needs none, since it belongs to the machine's owner. Throws OperationError; too many guesses are refused.
 */
export async function requireOwnPassword(
  context: OperationContext<'operator'>,
  current: string | undefined,
): Promise<void> {
  const { accountId, network = 'unknown' } = context.caller
  if (accountId === undefined) return
  const hash = context.stores.accounts.passwordHash(accountId)
  await requirePassword(context, { account: accountId, network }, { current, hash })
}

/** Requires the password of this hash, and counts wrong ones. Throws OperationError. */
export async function requirePassword(
  { limits }: Pick<OperationContext, 'limits'>,
  guess: { readonly account: string; readonly network: string },
  { current, hash }: { readonly current: string | undefined; readonly hash: string | undefined },
): Promise<void> {
  const wasRight = limits.passwordGuesses.begin(guess)
  if (current === undefined || !(await verifyPassword(current, hash)))
    throw new OperationError({ code: 'wrong_password' })
  wasRight()
}
