import { toAccount } from '../../wire/account.ts'
import type { KeyHolder } from '../authenticate.ts'
import { billingUrl } from '../page-urls.ts'
import { accountCaller, type Performing, perform } from '../perform.ts'

/** GET /v1/account: balance and recent usage of the key's account. */
export async function account(exchange: Performing, { accountId }: KeyHolder): Promise<Response> {
  const own = await perform(exchange, accountCaller(exchange, accountId), 'accounts-show-own', {})
  const body = toAccount({ ...own, billingUrl: billingUrl(exchange.baseUrl) })
  return Response.json(body, { headers: { 'cache-control': 'no-store' } })
}
