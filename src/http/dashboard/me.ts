import { toAccount } from '../../wire/account.ts'
import { billingUrl } from '../billing-url.ts'
import type { Exchange } from '../services.ts'
import type { Member } from './guards.ts'

const recentRequests = 20

/** GET me: the account that is signed in. */
export function me({ services, baseUrl }: Exchange, { accountId }: Member): Response {
  const { directory, usage, accounts } = services.stores
  const account = directory.find(accountId)
  if (account === undefined) throw new Error(`the session of ${accountId} has no account: this is a bug`)
  const facts = { account, usage: usage.recent(accountId, recentRequests), billingUrl: billingUrl(baseUrl) }
  return Response.json({ ...toAccount(facts), has_password: accounts.passwordHash(accountId) !== undefined })
}
