/** The pages: documents, and the files that they load. */
import { ApiError } from '../../core/errors.ts'
import type { Exchange } from '../exchange.ts'
import { notFound } from '../not-served.ts'

/** Serves GET of a page's address: the document of its area, signed in or not. */
export function pageDocument({ url, services, observer }: Exchange<'ui'>): Response {
  observer.isRoutine = true
  const isAdmin = /^\/admin(\/|$)/.test(url.pathname)
  const html = services.ui.document(isAdmin ? 'admin' : 'dashboard')
  if (html === undefined) throw notBuilt
  return new Response(html, { headers: { 'content-type': 'text/html; charset=utf-8' } })
}

/** Serves GET /ui/{file}. */
export async function uiFile({ request, url, services, observer }: Exchange<'ui'>): Promise<Response> {
  observer.isRoutine = true
  const isGzipAccepted = /\bgzip\b(?!\s*;\s*q=0(\.0*)?\b)/.test(request.headers.get('accept-encoding') ?? '')
  const file = await services.ui.file(url, { isGzipAccepted })
  if (file === undefined) throw notFound(url.pathname)
  return file
}

const notBuilt = new ApiError('unavailable', 'The pages are not built. Run: bun run build:ui', {
  code: 'pages_not_built',
})
