import { Type } from '@sinclair/typebox'
import { mostNanoUsd, nanoToDecimal } from '../core/money.ts'
import { OperationError } from './errors.ts'
import { accountReference, lineOf, memo } from './fields.ts'
import { findAccount } from './find-account.ts'
import { operation } from './operation.ts'
import { parseUsd } from './parse-usd.ts'

/** Adds money to an account, or with a negative amount takes some away: never more than is free. */
export const credit = operation({
  kind: 'write',
  input: Type.Object({
    account: accountReference,
    amount: lineOf('the amount is USD such as 20 or 0.5; a negative one takes away', 30),
    memo,
  }),
  run: ({ stores, actor }, { account: reference, amount, memo }) => {
    const amountNanoUsd = parseUsd('the amount', amount, { isNegativeAllowed: true })
    const account = findAccount(stores, reference)
    const { balanceNanoUsd: before, heldNanoUsd } = account
    const free = before - heldNanoUsd
    if (amountNanoUsd < -free) {
      const held = heldNanoUsd === 0 ? '' : ` of which requests hold $${nanoToDecimal(heldNanoUsd)}`
      throw new OperationError(
        `${reference} has $${nanoToDecimal(before)}${held}: at most $${nanoToDecimal(free)} can be taken away`,
      )
    }
    if (before + amountNanoUsd > mostNanoUsd) {
      throw new OperationError(`no account may have more than $${nanoToDecimal(mostNanoUsd)}`)
    }
    const kind = amountNanoUsd > 0 ? 'credit' : 'adjustment'
    const balanceNanoUsd = stores.ledger.append({ accountId: account.id, kind, amountNanoUsd, actor, memo })
    const details = { amountNanoUsd, ...(memo === undefined ? {} : { memo }) }
    stores.audit.append({ actor, action: kind, accountId: account.id, details })
    return { account: account.id, email: account.email ?? null, kind, amountNanoUsd, balanceNanoUsd }
  },
})
