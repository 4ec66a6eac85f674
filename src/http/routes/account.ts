import { kindsOfWork } from '../../core/work.ts'
import { toAccount } from '../../wire/account.ts'
import { parseSignup, toSignupResult } from '../../wire/signup.ts'
import type { KeyHolder } from '../authenticate.ts'
import type { Exchange } from '../exchange.ts'
import { boundsOf } from '../limits.ts'
import { billingUrl } from '../page-urls.ts'
import { accountCaller, anybody, type Performing, perform } from '../perform.ts'
import { readJson } from '../read-json.ts'

/** Serves POST /signup, for everyone: creates an account with no balance and a key that works at once. */
export async function signup(exchange: Performing & Exchange<'catalog'>): Promise<Response> {
  const { observer, services, baseUrl } = exchange
  const { rules, catalog } = services
  const input = parseSignup(await readJson(exchange))
  const made = await perform(exchange, anybody(exchange), 'accounts-sign-up', input)
  observer.accountId = made.accountId
  const { modelTypes } = kindsOfWork.chat
  const example = catalog
    .entries()
    .find(({ manifest, status }) => modelTypes.includes(manifest.type) && status.kind === 'ready')
  const result = toSignupResult({
    email: made.email,
    apiKey: made.key.key,
    baseUrl,
    billingUrl: billingUrl(baseUrl),
    hasPassword: input.password !== undefined,
    starterCreditNanoUsd: rules.starterCreditNanoUsd,
    sendsMail: rules.sendsMail,
    exampleModel: example?.manifest.id,
  })
  return Response.json(result, { status: 201, headers: { 'cache-control': 'no-store' } })
}

/** Serves GET /account: balance, limits and recent usage of the key's account. */
export async function account(exchange: Performing, holder: KeyHolder): Promise<Response> {
  const caller = accountCaller(exchange, holder)
  const own = await perform(exchange, caller, 'accounts-show-own', {})
  const bounds = boundsOf(exchange.services.stores, holder)
  const limits = await Promise.all(bounds.map(({ subject }) => perform(exchange, caller, 'limits-show', { subject })))
  const body = toAccount({ ...own, limits, billingUrl: billingUrl(exchange.baseUrl) })
  return Response.json(body, { headers: { 'cache-control': 'no-store' } })
}
