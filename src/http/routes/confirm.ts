import { nanoToDecimal } from '../../core/money.ts'
import type { Confirmation } from '../../operations/settings.ts'
import { page } from '../page.ts'
import { anybody, performFor } from '../perform.ts'
import type { Exchange } from '../services.ts'

/** GET /confirm?token=, to which the link of a confirmation mail leads. A HEAD uses no token. */
export async function confirm(exchange: Exchange): Promise<Response> {
  const { request, url, baseUrl } = exchange
  const token = url.searchParams.get('token') ?? ''
  if (request.method === 'HEAD') return page(exchange, { title: 'Confirmation', body: '' })
  const caller = anybody(exchange)
  const { outcome, starterCreditNanoUsd } = await performFor(exchange, caller, 'accounts-confirm', { token })
  const dashboard = `<a href="${Bun.escapeHTML(baseUrl)}/dashboard">dashboard</a>`
  const credit = starterCreditNanoUsd === 0 ? '' : ` $${nanoToDecimal(starterCreditNanoUsd)} was added to your balance.`
  const answers: Readonly<Record<Confirmation, readonly [status: number, text: string]>> = {
    confirmed: [200, `Your address is confirmed.${credit} On to the ${dashboard}.`],
    already: [200, `This link was used before: your address is confirmed. On to the ${dashboard}.`],
    expired: [410, `This link has expired. Sign in at the ${dashboard} and ask for a new one.`],
    unknown: [404, 'This link is not complete, or not one of this server. Copy it whole from the mail.'],
  }
  const [status, text] = answers[outcome]
  return page(exchange, { title: 'Confirmation', body: `<p>${text}</p>`, status })
}
