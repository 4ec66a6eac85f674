import { clientNetwork } from '../../accounts/client-network.ts'
import { parseEmail } from '../../accounts/email-address.ts'
import { parseAddress } from '../../wire/dashboard.ts'
import { readJson } from '../read-json.ts'
import type { Exchange } from '../services.ts'
import { putMail } from './put-mail.ts'
import { requireFewer } from './require-fewer.ts'

/** POST sign-in-link: mails a link that signs in. The same answer whether or not there is such an account. */
export async function signInLink(exchange: Exchange): Promise<Response> {
  const { services, clientAddress } = exchange
  const email = parseEmail(parseAddress(await readJson(exchange)))
  requireFewer(services.limits.linksOfClients, clientNetwork(clientAddress))
  const account = email === undefined ? undefined : services.stores.accounts.signInFacts(email)
  await putMail(services, account?.accountId, 'sign-in')
  const how = services.members.sendsMail ? 'is on its way' : "waits for the operator to hand it out ('inferd outbox')"
  return Response.json({ message: `If the address has an account, a link ${how}.` }, { status: 202 })
}
