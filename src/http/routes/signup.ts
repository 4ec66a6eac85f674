import { signUp } from '../../accounts/sign-up.ts'
import { parseSignup, toSignupResult } from '../../wire/signup.ts'
import { billingUrl } from '../billing-url.ts'
import { readJson } from '../read-json.ts'
import type { Exchange } from '../services.ts'

/** POST /signup, for everyone: an account with a key that works at once and nothing on it. */
export async function signup(exchange: Exchange): Promise<Response> {
  const { record, services, baseUrl, clientAddress } = exchange
  const { stores, members, mails, catalog } = services
  const call = parseSignup(await readJson(exchange))
  const { isSignupOpen, blockedEmailDomains, starterCreditNanoUsd, sendsMail } = members
  const made = await signUp(
    { ...stores, limit: stores.signupLimit, isOpen: isSignupOpen, blockedDomains: blockedEmailDomains },
    { ...call, clientAddress },
  )
  record.accountId = made.accountId
  mails.wake()
  const example = catalog.entries().find(({ manifest, status }) => manifest.type === 'chat' && status.kind === 'ready')
  const result = toSignupResult({
    email: made.email,
    apiKey: made.key.key,
    baseUrl,
    billingUrl: billingUrl(baseUrl),
    hasPassword: call.password !== undefined,
    starterCreditNanoUsd,
    sendsMail,
    exampleModel: example?.manifest.id,
  })
  return Response.json(result, { status: 201, headers: { 'cache-control': 'no-store' } })
}
