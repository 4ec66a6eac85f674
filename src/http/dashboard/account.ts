/** An account's own data, shown and changed by itself. */
import { toAccount } from '../../wire/account.ts'
import { parseName } from '../../wire/pages/keys.ts'
import { toMe } from '../../wire/pages/me.ts'
import type { KeyHolder } from '../authenticate.ts'
import { billingUrl } from '../page-urls.ts'
import { type AccountCaller, accountCaller, performBody, performFor } from '../perform.ts'
import { readJson } from '../read-json.ts'
import type { Exchange } from '../services.ts'
import { linkAnswer, linkWay } from './sign-in.ts'

/** Serves GET /v1/account: balance and recent usage of the key's account. */
export async function account(exchange: Exchange, { accountId }: KeyHolder): Promise<Response> {
  const own = await ownAccount(exchange, accountCaller(exchange, accountId))
  return Response.json(toAccount(own), { headers: { 'cache-control': 'no-store' } })
}

/** Serves GET me: the signed-in account. */
export async function me(exchange: Exchange, account: AccountCaller): Promise<Response> {
  return Response.json(toMe(await ownAccount(exchange, account)))
}

async function ownAccount(exchange: Exchange, account: AccountCaller) {
  const own = await performFor(exchange, account, 'accounts-show-own', {})
  return { ...own, billingUrl: billingUrl(exchange.baseUrl) }
}

/** Serves PATCH me: changes the account's name. */
export async function rename(exchange: Exchange, account: AccountCaller): Promise<Response> {
  return Response.json(await performFor(exchange, account, 'accounts-rename-own', parseName(await readJson(exchange))))
}

/** Serves POST confirmation: mails the confirmation link again. */
export async function resendConfirmation(exchange: Exchange, account: AccountCaller): Promise<Response> {
  const { isConfirmed, sendsMail } = await performFor(exchange, account, 'accounts-resend-confirmation', {})
  if (isConfirmed) return Response.json({ message: 'The address is confirmed already.' })
  return linkAnswer(exchange, `The link ${linkWay(sendsMail)}.`)
}

/** Serves POST password: sets or changes it. */
export async function setPassword(exchange: Exchange, account: AccountCaller): Promise<Response> {
  await performBody(exchange, account, 'accounts-set-password')
  return Response.json({ has_password: true })
}
