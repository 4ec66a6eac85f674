import { Type } from '@sinclair/typebox'
import { voucherStates } from '../billing/vouchers.ts'
import { parseUsd } from './credit.ts'
import { expiresDays, expiryMs, lineOf, memo, oneOf, page, plainText, wholeNumber } from './fields.ts'
import { operation } from './operation.ts'
import { OperationError } from './problem.ts'

/** Makes vouchers. Their codes are in the result and nowhere else. */
export const createVouchers = operation({
  callers: ['operator'],
  kind: 'write',
  input: Type.Object({
    amount: lineOf('is USD such as 20 or 0.5', 30),
    count: wholeNumber(1, 1000),
    expiresDays,
    memo,
  }),
  run: ({ stores, caller: { actor }, clock }, { amount, count, expiresDays: days, memo: text }) => {
    const amountNanoUsd = parseUsd(amount, { isNegativeAllowed: false })
    const expiresAtMs = expiryMs(clock(), days)
    const vouchers = stores.vouchers.create({ amountNanoUsd, count, expiresAtMs, memo: text, actor })
    return { amountNanoUsd, expiresAtMs, vouchers }
  },
})

/** Vouchers without their codes, the latest first: all, or those in a state. */
export const listVouchers = operation({
  callers: ['operator'],
  kind: 'read',
  input: Type.Object({ state: Type.Optional(oneOf(voucherStates)), ...page }),
  run: ({ stores }, input) => stores.vouchers.list(input),
})

/** Makes a voucher worthless that nobody has redeemed. */
export const revokeVoucher = operation({
  callers: ['operator'],
  kind: 'write',
  input: Type.Object({ id: lineOf('is named by its id (vou_…)', 100) }),
  run: ({ stores, caller: { actor } }, { id }) => {
    if (!stores.vouchers.revoke(id, actor)) throw new OperationError({ code: 'not_found', what: 'voucher', name: id })
    return { id }
  },
})

/** Adds a voucher's amount to the account's balance, once. */
export const redeemVoucher = operation({
  callers: ['account'],
  kind: 'write',
  input: Type.Object({ code: plainText(100) }),
  prepare: async ({ limits, caller }) => limits.voucherGuesses.take(caller.accountId),
  run: ({ stores, limits, caller: { accountId } }, { code }) => {
    const outcome = stores.vouchers.redeem(accountId, code)
    if (outcome.kind === 'used') throw new OperationError({ code: 'voucher_used', isOwn: outcome.isOwn })
    if (outcome.kind !== 'redeemed') throw new OperationError({ code: `voucher_${outcome.kind}` })
    limits.voucherGuesses.giveBack(accountId)
    return outcome
  },
})
