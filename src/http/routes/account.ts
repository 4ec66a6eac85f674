import { toAccount } from '../../wire/account.ts'
import type { KeyHolder } from '../authenticate.ts'
import { billingUrl } from '../page-urls.ts'
import { accountCaller, performFor } from '../perform.ts'
import type { Exchange } from '../services.ts'

/** GET /account: balance and recent usage of the key's account. */
export async function account(exchange: Exchange, { accountId }: KeyHolder): Promise<Response> {
  const own = await performFor(exchange, accountCaller(exchange, accountId), 'accounts-show-own', {})
  const shown = toAccount({ ...own, billingUrl: billingUrl(exchange.baseUrl) })
  return Response.json(shown, { headers: { 'cache-control': 'no-store' } })
}
