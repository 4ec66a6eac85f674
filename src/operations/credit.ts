import { Type } from '@sinclair/typebox'
import { decimalToNano, mostNanoUsd } from '../core/money.ts'
import { accountReference, lineOf, memo } from './fields.ts'
import { findAccount } from './find-account.ts'
import { operation } from './operation.ts'
import { OperationError } from './problem.ts'

/** Adds money to an account, or with a negative amount takes some away: never more than is available. */
export const credit = operation({
  callers: ['operator'],
  kind: 'write',
  input: Type.Object({
    account: accountReference,
    amount: lineOf('is USD such as 20 or 0.5; a negative one takes away', 30),
    memo,
  }),
  run: ({ stores, caller: { actor } }, { account: reference, amount, memo }) => {
    const amountNanoUsd = parseUsd(amount, { isNegativeAllowed: true })
    const account = findAccount(stores, reference)
    const { balanceNanoUsd: before, heldNanoUsd } = account
    if (amountNanoUsd < heldNanoUsd - before) {
      throw new OperationError({ code: 'exceeds_balance', account: reference, balanceNanoUsd: before, heldNanoUsd })
    }
    if (before + amountNanoUsd > mostNanoUsd) {
      throw new OperationError({ code: 'exceeds_maximum_balance', maximumNanoUsd: mostNanoUsd })
    }
    const kind = amountNanoUsd > 0 ? 'credit' : 'adjustment'
    const balanceNanoUsd = stores.ledger.append({ accountId: account.id, kind, amountNanoUsd, actor, memo })
    const details = { amountNanoUsd, ...(memo === undefined ? {} : { memo }) }
    stores.audit.append({ actor, action: kind, accountId: account.id, details })
    return { account: account.id, email: account.email ?? null, kind, amountNanoUsd, balanceNanoUsd }
  },
})

/** The field `amount`: exact, other than 0. Throws OperationError. */
export function parseUsd(text: string, { isNegativeAllowed }: { readonly isNegativeAllowed: boolean }): number {
  const nanoUsd = decimalToNano(text)
  const isFit = nanoUsd !== undefined && nanoUsd !== 0 && Math.abs(nanoUsd) <= mostNanoUsd
  if (isFit && (isNegativeAllowed || nanoUsd > 0)) return nanoUsd
  const examples = isNegativeAllowed ? '20, 0.5 or -3.25' : '20 or 0.5'
  const rule = `must be USD such as ${examples}, exact to 9 decimals and not 0`
  throw new OperationError({ code: 'invalid_input', field: 'amount', rule, value: text })
}
