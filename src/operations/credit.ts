import { Type } from '@sinclair/typebox'
import type { AccountRow } from '../accounts/account-row.ts'
import type { LedgerEntry } from '../billing/ledger.ts'
import { decimalToNano, maximumNanoUsd, nanoToDecimal } from '../core/money.ts'
import { bookKeepers } from '../core/roles.ts'
import { accountReference, lineOf, memo } from './fields.ts'
import { findAccount } from './find-account.ts'
import { operation } from './operation.ts'
import { OperationError } from './problem.ts'

/**
 * Adds money to an account, or takes some away if the amount is negative, at most the available money. Nobody credits
 * the account that is signed in. With an
 * idempotency key, a repeat of the same credit returns the first result and changes nothing.
 */
export const credit = operation({
  callers: ['operator'],
  roles: bookKeepers,
  kind: 'write',
  input: Type.Object({
    account: accountReference,
    amount: lineOf('is USD such as 20 or 0.5; a negative one takes away', 30),
    memo,
    idempotencyKey: Type.Optional(lineOf('takes 1 to 200 characters on one line', 200)),
  }),
  run: ({ stores, caller }, { account: reference, amount, memo, idempotencyKey }) => {
    const { actor } = caller
    const amountNanoUsd = parseUsd(amount, { isNegativeAllowed: true })
    const account = findAccount(stores, reference)
    if (account.id === caller.accountId)
      throw new OperationError({ code: 'own_account', of: 'caller', rule: 'somebody else has to credit' })
    const kind = amountNanoUsd > 0 ? 'credit' : 'adjustment'
    const entry = { accountId: account.id, kind, amountNanoUsd, actor, memo, idempotencyKey } as const
    const result = { account: account.id, email: account.email ?? null, kind, amountNanoUsd }
    const first = idempotencyKey === undefined ? undefined : stores.ledger.ofIdempotencyKey(idempotencyKey)
    if (first !== undefined) {
      requireSame(first, entry)
      return { ...result, balanceNanoUsd: first.balanceAfterNanoUsd }
    }
    requirePossible(account, amountNanoUsd)
    const balanceNanoUsd = stores.ledger.append(entry)
    stores.audit.append({ actor, action: kind, accountId: account.id, details: { amountNanoUsd } })
    return { ...result, balanceNanoUsd }
  },
})

function requireSame(first: LedgerEntry, { accountId, amountNanoUsd, memo }: LedgerEntry): void {
  const isSame = first.accountId === accountId && first.amountNanoUsd === amountNanoUsd && first.memo === memo
  if (!isSame) throw new OperationError({ code: 'idempotency_key_reused', what: 'credit' })
}

function requirePossible({ id, email, balanceNanoUsd, heldNanoUsd }: AccountRow, amountNanoUsd: number): void {
  if (amountNanoUsd < heldNanoUsd - balanceNanoUsd) {
    throw new OperationError({ code: 'exceeds_balance', account: email ?? id, balanceNanoUsd, heldNanoUsd })
  }
  if (balanceNanoUsd + amountNanoUsd > maximumNanoUsd) {
    throw new OperationError({ code: 'exceeds_maximum_balance', maximumNanoUsd })
  }
}

/** Parses the field `amount`: exact decimal text other than 0. Throws OperationError. */
export function parseUsd(text: string, { isNegativeAllowed }: { readonly isNegativeAllowed: boolean }): number {
  const nanoUsd = decimalToNano(text)
  const isFit = nanoUsd !== undefined && nanoUsd !== 0 && Math.abs(nanoUsd) <= maximumNanoUsd
  if (isFit && (isNegativeAllowed || nanoUsd > 0)) return nanoUsd
  const examples = isNegativeAllowed ? '20, 0.5 or -3.25' : '20 or 0.5'
  const limit = `at most ${nanoToDecimal(maximumNanoUsd)}`
  const rule = `must be USD such as ${examples}, exact to 9 decimals, not 0 and ${limit}`
  throw new OperationError({ code: 'invalid_input', field: 'amount', rule, value: text })
}
