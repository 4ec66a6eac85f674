import { Type } from '@sinclair/typebox'
import { OperationError } from './errors.ts'
import { expiresDays, expiryMs, lineOf, memo, wholeNumber } from './fields.ts'
import { operation } from './operation.ts'
import { parseUsd } from './parse-usd.ts'

/** Makes vouchers. Their codes are in the answer and nowhere else. */
export const createVouchers = operation({
  kind: 'write',
  input: Type.Object({
    amount: lineOf('--amount is USD such as 20 or 0.5', 30),
    count: wholeNumber('--count must be a whole number from 1 to 1000', { min: 1, max: 1000 }),
    expiresDays,
    memo,
  }),
  run: ({ stores, actor, clock }, { amount, count, expiresDays: days, memo: text }) => {
    const amountNanoUsd = parseUsd('--amount', amount, { isNegativeAllowed: false })
    const expiresAtMs = expiryMs(clock(), days)
    const vouchers = stores.vouchers.create({ amountNanoUsd, count, expiresAtMs, memo: text, actor })
    return { amountNanoUsd, expiresAtMs, vouchers }
  },
})

/** The vouchers without their codes, the latest first. */
export const listVouchers = operation({
  kind: 'read',
  input: Type.Object({
    limit: wholeNumber('--limit must be a whole number from 1 to 100000', { min: 1, max: 100_000 }),
  }),
  run: ({ stores }, { limit }) => stores.vouchers.list(limit),
})

/** Makes a voucher worthless that nobody has redeemed. */
export const revokeVoucher = operation({
  kind: 'write',
  input: Type.Object({ id: lineOf('a voucher is named by its id (vou_…)', 100) }),
  run: ({ stores, actor }, { id }) => {
    if (stores.vouchers.revoke(id, actor)) return { id }
    throw new OperationError(
      `there is no voucher "${id}" that could still be redeemed; 'inferd vouchers list' shows them`,
    )
  },
})
