import type { Redemption } from '../../billing/vouchers.ts'
import { ApiError } from '../../core/errors.ts'
import { parseVoucherCode, toRedeemed } from '../../wire/dashboard.ts'
import { readJson } from '../read-json.ts'
import type { Exchange } from '../services.ts'
import { type Member, requireStillSignedIn } from './guards.ts'
import { requireFewer } from './require-fewer.ts'

/** POST vouchers/redeem: adds a voucher's amount to the balance, once. */
export async function redeemVoucher(exchange: Exchange, member: Member): Promise<Response> {
  const { accountId } = member
  const { stores, limits } = exchange.services
  const { commits, vouchers, sessions } = stores
  const code = parseVoucherCode(await readJson(exchange))
  requireFewer(limits.voucherGuesses, accountId)
  const outcome = await commits.run(() => {
    requireStillSignedIn(sessions, member)
    return vouchers.redeem(accountId, code)
  })
  if (outcome.kind !== 'redeemed') throw refusal(outcome)
  limits.voucherGuesses.giveBack(accountId)
  return Response.json(toRedeemed(outcome))
}

function refusal(outcome: Exclude<Redemption, { kind: 'redeemed' }>): ApiError {
  const messages = {
    unknown: 'There is no such voucher. Check that the code was typed whole.',
    expired: 'This voucher has expired.',
    revoked: 'This voucher was withdrawn by the operator.',
    used: 'This voucher was redeemed before.',
    over_limit: 'With this voucher the balance would be more than an account may have. Use some of it first.',
  }
  const own = outcome.kind === 'used' && outcome.isOwn ? ' It was you: the amount is in your balance.' : ''
  return new ApiError('invalid_request', messages[outcome.kind] + own, {
    code: `voucher_${outcome.kind}`,
    param: 'code',
  })
}
