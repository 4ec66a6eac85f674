import { Type } from '@sinclair/typebox'
import { nanoToUsd } from '../core/money.ts'
import { check, nameLine, optionalText, presentFields } from './check.ts'

export const SignupBody = Type.Object({
  email: Type.String({ description: 'a mail address', maxLength: 320 }),
  name: Type.Optional(nameLine),
  password: optionalText,
  key_name: Type.Optional(nameLine),
})

/** Reads the body of POST /signup. Unknown fields are ignored. Throws ApiError 400. */
export function parseSignup(body: unknown) {
  const { email, name, password, key_name: keyName } = check(SignupBody, presentFields(body))
  return { email, name, password, keyName }
}

interface SignupFacts {
  readonly email: string
  readonly apiKey: string
  /** Address of the server, without path. */
  readonly baseUrl: string
  readonly billingUrl: string
  readonly hasPassword: boolean
  readonly starterCreditNanoUsd: number
  /** True if a confirmation mail was sent; otherwise the operator has the link. */
  readonly sendsMail: boolean
  /** Model for a first request */
  readonly exampleModel: string | undefined
}

/** Returns the body of the 201. */
export function toSignupResult(facts: SignupFacts): object {
  const { email, apiKey, baseUrl, billingUrl, hasPassword, starterCreditNanoUsd } = facts
  return {
    object: 'signup',
    email,
    api_key: apiKey,
    base_url: `${baseUrl}/v1`,
    balance: 0,
    starter_credit: {
      amount: nanoToUsd(starterCreditNanoUsd),
      currency: 'USD',
      status: starterCreditNanoUsd === 0 ? 'none' : 'pending_confirmation',
    },
    top_up_url: billingUrl,
    dashboard: { url: `${baseUrl}/dashboard`, sign_in: hasPassword ? 'password' : 'email_link' },
    next_steps: nextSteps(facts),
    docs: `${baseUrl}/docs/models`,
  }
}

function nextSteps(facts: SignupFacts): string[] {
  const { email, baseUrl, billingUrl, starterCreditNanoUsd, sendsMail, exampleModel = 'MODEL' } = facts
  const reward = starterCreditNanoUsd === 0 ? '' : ` and get ${nanoToUsd(starterCreditNanoUsd)} USD to start with`
  const body = JSON.stringify({ model: exampleModel, messages: [{ role: 'user', content: 'Hello!' }] })
  return [
    'Keep api_key: it is shown this once.',
    sendsMail
      ? `Open the link in the mail to ${email} to confirm the address${reward}.`
      : `Ask the operator of this server for the link that confirms ${email}${reward}.`,
    `Add funds at ${billingUrl}`,
    `Then: curl ${baseUrl}/v1/chat/completions -H "Authorization: Bearer $API_KEY" -H "Content-Type: application/json" -d '${body}'`,
  ]
}
