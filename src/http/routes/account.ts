import { toAccount } from '../../wire/account.ts'
import type { KeyHolder } from '../authenticate.ts'
import { billingUrl } from '../billing-url.ts'
import type { Exchange } from '../services.ts'

const recentRequests = 20

/** GET /account: balance and recent usage of the key's account. */
export function account({ services, baseUrl }: Exchange, { accountId, keyId }: KeyHolder): Response {
  const { directory, usage } = services.stores
  const found = directory.find(accountId)
  if (found === undefined) throw new Error(`the key ${keyId} has no account: this is a bug`)
  const facts = { account: found, usage: usage.recent(accountId, recentRequests), billingUrl: billingUrl(baseUrl) }
  return Response.json(toAccount(facts), { headers: { 'cache-control': 'no-store' } })
}
