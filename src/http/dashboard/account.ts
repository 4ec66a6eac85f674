/** What an account sees and changes of itself. */
import { toAccount } from '../../wire/account.ts'
import * as wire from '../../wire/dashboard.ts'
import { toUsageCsv, toUsageReport } from '../../wire/usage-report.ts'
import type { KeyHolder } from '../authenticate.ts'
import { billingUrl } from '../page-urls.ts'
import { type AccountCaller, accountCaller, performBody, performFor } from '../perform.ts'
import { readJson } from '../read-json.ts'
import type { Exchange } from '../services.ts'
import { linkWay } from './sign-in.ts'

/** GET /v1/account: balance and recent usage of the key's account. */
export async function account(exchange: Exchange, { accountId }: KeyHolder): Promise<Response> {
  const { shown } = await ownAccount(exchange, accountCaller(exchange, accountId))
  return Response.json(shown, { headers: { 'cache-control': 'no-store' } })
}

/** GET me: the account that is signed in. */
export async function me(exchange: Exchange, account: AccountCaller): Promise<Response> {
  const { shown, hasPassword } = await ownAccount(exchange, account)
  return Response.json({ ...shown, has_password: hasPassword })
}

async function ownAccount(exchange: Exchange, account: AccountCaller) {
  const { hasPassword, ...own } = await performFor(exchange, account, 'accounts-show-own', {})
  return { shown: toAccount({ ...own, billingUrl: billingUrl(exchange.baseUrl) }), hasPassword }
}

/** POST confirmation: mails the confirmation link again. */
export async function resendConfirmation(exchange: Exchange, account: AccountCaller): Promise<Response> {
  const { isConfirmed, sendsMail } = await performFor(exchange, account, 'accounts-resend-confirmation', {})
  if (isConfirmed) return Response.json({ message: 'The address is confirmed already.' })
  return Response.json({ message: `The link ${linkWay(sendsMail)}.` }, { status: 202 })
}

/** POST password: sets it or changes it. */
export async function setPassword(exchange: Exchange, account: AccountCaller): Promise<Response> {
  await performBody(exchange, account, 'accounts-set-password')
  return Response.json({ has_password: true })
}

/** An account has at most a hundred usable keys; the list shows the ended ones too. */
const maximumListed = 100_000

/** GET keys: the account's keys, without their secrets, the oldest first. */
export async function listKeys(exchange: Exchange, account: AccountCaller): Promise<Response> {
  const keys = await performFor(exchange, account, 'keys-list', { limit: maximumListed })
  return Response.json(wire.toKeyList(keys.reverse()))
}

/** POST keys: makes one, whose secret is in this answer and nowhere else. */
export async function createKey(exchange: Exchange, account: AccountCaller): Promise<Response> {
  const key = await performFor(exchange, account, 'keys-create', wire.parseNewKey(await readJson(exchange)))
  return Response.json(wire.toCreatedKey(key, key.name), { status: 201 })
}

/** DELETE keys/{id}: ends one of the account's own keys. */
export async function revokeKey(exchange: Exchange, account: AccountCaller): Promise<Response> {
  const id = exchange.url.pathname.replace(/\/$/, '').split('/').at(-1) ?? ''
  await performFor(exchange, account, 'keys-revoke', { key: id.slice(0, 100) })
  return Response.json({ id, revoked: true })
}

/** POST vouchers/redeem: adds a voucher's amount to the balance, once. */
export async function redeemVoucher(exchange: Exchange, account: AccountCaller): Promise<Response> {
  return Response.json(wire.toRedeemed(await performBody(exchange, account, 'vouchers-redeem')))
}

/** GET usage?by=day|model|key&from&to&format=json|csv: sums of what the account used, by one or two of them. */
export async function usage(exchange: Exchange, account: AccountCaller): Promise<Response> {
  const { format, ...query } = wire.parseUsageQuery(exchange.url.searchParams)
  const report = await performFor(exchange, account, 'usage-report', query)
  if (format === 'json') return Response.json(toUsageReport(query.by, report))
  return new Response(toUsageCsv(query.by, report), { headers: csvHead(`usage-by-${query.by.join('-and-')}.csv`) })
}

function csvHead(fileName: string): Record<string, string> {
  const disposition = `attachment; filename="${fileName}"`
  return { 'content-type': 'text/csv; charset=utf-8', 'content-disposition': disposition }
}

/** GET ledger?limit&before: every move of the account's money, the latest first. */
export async function ledger(exchange: Exchange, account: AccountCaller): Promise<Response> {
  const page = wire.parseLedgerQuery(exchange.url.searchParams)
  return Response.json(wire.toLedger(await performFor(exchange, account, 'ledger-list', page)))
}
