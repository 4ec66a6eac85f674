import { Type } from '@sinclair/typebox'
import { type VoucherRow, voucherStates } from '../billing/vouchers.ts'
import { dayMs } from '../core/durations.ts'
import { bookKeepers, bookReaders } from '../core/roles.ts'
import { oneOf, wholeNumber } from '../core/schemas.ts'
import { withNames } from './account-names.ts'
import { parseUsd } from './credit.ts'
import { expiresDays, expiryMs, lineOf, memo, mustBe, page, plainText } from './fields.ts'
import { operation } from './operation.ts'
import { OperationError } from './problem.ts'

const randomKey = 'takes 32 to 64 random hexadecimal digits'

/**
 * Makes vouchers. Only the result has their codes. With an idempotency key, a repeat of the same request returns the
 * first result with its codes, which are derived from the key. So the key must be kept as secret as the codes.
 */
export const createVouchers = operation({
  callers: ['operator'],
  roles: bookKeepers,
  kind: 'write',
  input: Type.Object({
    amount: lineOf('is USD such as 20 or 0.5', 30),
    count: mustBe(wholeNumber(1, 1000)),
    expiresDays,
    memo,
    idempotencyKey: Type.Optional(Type.String({ description: randomKey, pattern: '^[0-9a-f]{32,64}$' })),
  }),
  run: ({ stores, caller: { actor }, clock }, { amount, idempotencyKey, ...wanted }) => {
    const amountNanoUsd = parseUsd(amount, { isNegativeAllowed: false })
    const made = idempotencyKey === undefined ? [] : stores.vouchers.ofIdempotencyKey(idempotencyKey)
    const [first] = made
    if (first !== undefined) {
      requireSame(made, { ...wanted, amountNanoUsd })
      return { amountNanoUsd, expiresAtMs: first.expiresAtMs, vouchers: made.map(({ id, code }) => ({ id, code })) }
    }
    const expiresAtMs = expiryMs(clock(), wanted.expiresDays)
    const { count, memo } = wanted
    const vouchers = stores.vouchers.create({ amountNanoUsd, count, expiresAtMs, memo, actor, idempotencyKey })
    return { amountNanoUsd, expiresAtMs, vouchers }
  },
})

interface WantedVouchers {
  readonly amountNanoUsd: number
  readonly count: number
  readonly expiresDays?: number
  readonly memo?: string
}

function requireSame(made: readonly VoucherRow[], { amountNanoUsd, count, expiresDays: days, memo }: WantedVouchers) {
  const isSame = made.every(
    (row) => row.amountNanoUsd === amountNanoUsd && row.memo === memo && daysOf(row) === days && made.length === count,
  )
  if (!isSame) throw new OperationError({ code: 'idempotency_key_reused', what: 'vouchers' })
}

function daysOf({ createdMs, expiresAtMs }: VoucherRow): number | undefined {
  return expiresAtMs === undefined ? undefined : Math.round((expiresAtMs - createdMs) / dayMs)
}

/** Lists vouchers without their codes, the latest first: all, or those in a state. */
export const listVouchers = operation({
  callers: ['operator'],
  roles: bookReaders,
  kind: 'read',
  input: Type.Object({ state: Type.Optional(mustBe(oneOf(voucherStates))), ...page }),
  run: (context, input) => withNames(context, context.stores.vouchers.list(input)),
})

/** Revokes a voucher that nobody has redeemed. */
export const revokeVoucher = operation({
  callers: ['operator'],
  roles: bookKeepers,
  kind: 'write',
  input: Type.Object({ id: lineOf('is named by its id (vou_…)', 100) }),
  run: ({ stores, caller: { actor } }, { id }) => {
    if (!stores.vouchers.revoke(id, actor)) throw new OperationError({ code: 'not_found', what: 'voucher', name: id })
    return { id }
  },
})

/** Adds a voucher's amount to the account's balance, once. Whoever may make vouchers redeems none. */
export const redeemVoucher = operation({
  callers: ['account'],
  kind: 'write',
  input: Type.Object({ code: plainText(100) }),
  prepare: async ({ limits, caller }) => limits.voucherGuesses.take(caller.accountId),
  run: ({ stores, limits, caller: { accountId } }, { code }) => {
    const outcome = stores.vouchers.redeem(accountId, code)
    if (outcome.kind === 'used') throw new OperationError({ code: 'voucher_used', isOwn: outcome.isOwn })
    if (outcome.kind !== 'redeemed') throw new OperationError({ code: `voucher_${outcome.kind}` })
    // Throwing takes the redemption back.
    const role = stores.accounts.roleOf(accountId)
    if (bookKeepers.some((keeper) => keeper === role))
      throw new OperationError({ code: 'own_account', of: 'caller', rule: 'somebody else has to credit' })
    limits.voucherGuesses.giveBack(accountId)
    return outcome
  },
})
