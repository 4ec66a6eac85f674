/** Plain pages, and refusals for browsers that open an address. Programs get refusals as JSON. */
import { type ApiError, errorRule } from '../core/errors.ts'
import { requireAdminReach } from './admin-reach.ts'
import type { Exchange } from './exchange.ts'

/** Paths that programs use. A browser that opens one gets JSON as well. */
const ofPrograms = /^\/(v1|api|ui|health|metrics|admin\/api|dashboard\/(api|v1))(\/|$)/

/** Tells whether programs use a path, and not people who open it. */
export function isOfPrograms(pathname: string): boolean {
  return ofPrograms.test(pathname)
}

/** Returns the page that shows a refusal, uncached; undefined if the client wants no page. */
export function refusalPage(exchange: Exchange<'config' | 'ui'>, error: ApiError): Response | undefined {
  const response = pageOf(exchange, error)
  response?.headers.set('cache-control', 'no-store')
  return response
}

function pageOf(exchange: Exchange<'config' | 'ui'>, error: ApiError): Response | undefined {
  const { request, url, services } = exchange
  const isOpened = request.method === 'GET' || request.method === 'HEAD'
  if (!isOpened || !wantsPage(exchange) || ofPrograms.test(url.pathname)) return undefined
  const { status } = errorRule(error.kind)
  // Other machines can open none of the operator's pages, so this page has no links to them.
  if (error.code === 'admin_is_local') {
    const body = `<p>${Bun.escapeHTML(error.message).replace(/ssh -L [^,]+/, '<code>$&</code>')}</p>`
    return page(exchange, { title: 'Only on this machine', body, status })
  }
  const home = '<p><a href="/dashboard">To the pages</a> · <a href="/docs">Documentation</a></p>'
  if (status !== 404) {
    const body = `<p>${Bun.escapeHTML(error.message)}</p>${home}`
    return page(exchange, { title: 'That did not work', body, status })
  }
  const area = areaOf(exchange)
  const html = area && services.ui.document(area)
  if (html !== undefined) return new Response(html, { status, headers: { 'content-type': 'text/html; charset=utf-8' } })
  const body = `<p>There is nothing at <code>${Bun.escapeHTML(url.pathname.slice(0, 100))}</code>.</p>${home}`
  return page(exchange, { title: 'There is no such page', body, status })
}

/** Tells whether a browser opens the address as a document. */
export function wantsPage({ request }: Pick<Exchange, 'request'>): boolean {
  return request.headers.get('accept')?.includes('text/html') === true
}

/**
 * Returns the area whose document shows that a page is missing; undefined elsewhere, and if the area is refused to
 * the client.
 */
function areaOf(exchange: Exchange<'config'>): 'admin' | 'dashboard' | undefined {
  const area = /^\/(admin|dashboard)(\/|$)/.exec(exchange.url.pathname)?.[1]
  if (area !== 'admin') return area === 'dashboard' ? area : undefined
  try {
    requireAdminReach(exchange)
    return area
  } catch {
    return undefined
  }
}

interface PageOptions {
  readonly title: string
  /** HTML, with foreign text escaped. */
  readonly body: string
  readonly status?: number
}

/** Returns a plain HTML page without scripts, in the style of the pages. */
export function page({ services }: Exchange<'ui'>, { title, body, status = 200 }: PageOptions): Response {
  const stylesheet = services.ui.stylesheet()
  const html = `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>${title} · inferd</title>
${stylesheet === undefined ? '' : `<link rel="stylesheet" href="${stylesheet}">`}</head>
<body class="document"><h1>${title}</h1>
${body}
</body></html>
`
  return new Response(html, { status, headers: { 'content-type': 'text/html; charset=utf-8' } })
}
