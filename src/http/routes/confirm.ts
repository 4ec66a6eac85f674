/** Page behind the link in a confirmation mail. It has a button, because mail programs open links by themselves. */
import { nanoToDecimal } from '../../core/money.ts'
import type { Exchange } from '../exchange.ts'
import { page } from '../page.ts'
import { anybody, type Performing, perform } from '../perform.ts'
import { formHeaders } from '../response-headers.ts'

type Confirming = Performing & Exchange<'ui'>

/** Serves GET /confirm?token=: a form that posts to the same address. Changes nothing. */
export async function askToConfirm(exchange: Confirming): Promise<Response> {
  const token = tokenOf(exchange)
  const { outcome, starterCreditNanoUsd } = await perform(exchange, anybody(exchange), 'accounts-check-confirmation', {
    token,
  })
  if (outcome !== 'possible') return told(exchange, outcome)
  const credit = starterCreditNanoUsd === 0 ? undefined : `$${nanoToDecimal(starterCreditNanoUsd)}`
  const text = credit === undefined ? 'Is this your address?' : `Is this your address? You get ${credit} to start with.`
  const button = credit === undefined ? 'Confirm the address' : `Confirm the address and get ${credit}`
  const body = `<p>${text}</p>
<form method="post"><button type="submit" class="primary">${button}</button></form>`
  const response = page(exchange, { title: 'Confirmation', body })
  for (const [name, value] of Object.entries(formHeaders)) response.headers.set(name, value)
  return response
}

/** Serves POST /confirm?token=: confirms the address. */
export async function confirm(exchange: Confirming): Promise<Response> {
  const token = tokenOf(exchange)
  const { outcome, starterCreditNanoUsd } = await perform(exchange, anybody(exchange), 'accounts-confirm', { token })
  if (outcome !== 'confirmed') return told(exchange, outcome)
  const credit = starterCreditNanoUsd === 0 ? '' : ` $${nanoToDecimal(starterCreditNanoUsd)} was added to your balance.`
  const body = `<p>Your address is confirmed.${credit} On to the ${dashboardLink(exchange)}.</p>`
  return page(exchange, { title: 'Confirmation', body })
}

function tokenOf({ url }: Exchange): string {
  return url.searchParams.get('token') ?? ''
}

function dashboardLink({ baseUrl }: Exchange): string {
  return `<a href="${Bun.escapeHTML(baseUrl)}/dashboard">dashboard</a>`
}

/** Returns the page that explains why there is nothing to confirm. */
function told(exchange: Confirming, outcome: 'already' | 'expired' | 'unknown'): Response {
  const dashboard = dashboardLink(exchange)
  const answers = {
    already: [200, `This link was used before: your address is confirmed. On to the ${dashboard}.`],
    expired: [410, `This link has expired. Sign in at the ${dashboard} and ask for a new one.`],
    unknown: [404, 'This link is not complete, or not one of this server. Copy it whole from the mail.'],
  } as const
  const [status, text] = answers[outcome]
  return page(exchange, { title: 'Confirmation', body: `<p>${text}</p>`, status })
}
