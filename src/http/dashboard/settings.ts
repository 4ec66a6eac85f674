import { toAccount } from '../../wire/account.ts'
import { parseNewPassword } from '../../wire/dashboard.ts'
import { billingUrl } from '../page-urls.ts'
import { type AccountCaller, performFor } from '../perform.ts'
import { readJson } from '../read-json.ts'
import type { Exchange } from '../services.ts'
import { linkWay } from './sign-in.ts'

/** GET me: the account that is signed in. */
export async function me(exchange: Exchange, account: AccountCaller): Promise<Response> {
  const { hasPassword, ...own } = await performFor(exchange, account, 'accounts-show-own', {})
  const shown = toAccount({ ...own, billingUrl: billingUrl(exchange.baseUrl) })
  return Response.json({ ...shown, has_password: hasPassword })
}

/** POST confirmation: mails the confirmation link again. */
export async function resendConfirmation(exchange: Exchange, account: AccountCaller): Promise<Response> {
  const { isConfirmed, sendsMail } = await performFor(exchange, account, 'accounts-resend-confirmation', {})
  if (isConfirmed) return Response.json({ message: 'The address is confirmed already.' })
  return Response.json({ message: `The link ${linkWay(sendsMail)}.` }, { status: 202 })
}

/** POST password: sets it or changes it. */
export async function setPassword(exchange: Exchange, account: AccountCaller): Promise<Response> {
  await performFor(exchange, account, 'accounts-set-password', parseNewPassword(await readJson(exchange)))
  return Response.json({ has_password: true })
}
