/** Files that prove who this server is. */
import type { Exchange } from '../exchange.ts'
import { notFound } from '../not-served.ts'
import { idOf } from '../path-rules.ts'

/** Serves GET /ca.pem: the root certificate of this server's own authority. Throws ApiError 404 if it has none. */
export function rootCertificate({ services, url }: Exchange<'encryption'>): Response {
  const pem = services.encryption?.rootCertificate
  if (pem === undefined) throw notFound(url.pathname)
  const disposition = 'attachment; filename="inferd-ca.pem"'
  return new Response(pem, {
    headers: { 'content-type': 'application/x-pem-file', 'content-disposition': disposition },
  })
}

/** Serves the answer to an ACME challenge over HTTP. Throws ApiError 404 if no authority asks for it now. */
export function challengeAnswer({ services, url }: Exchange<'encryption'>): Response {
  const answer = services.encryption?.answerTo(idOf(url))
  if (answer === undefined) throw notFound(url.pathname)
  return new Response(answer, { headers: { 'content-type': 'application/octet-stream' } })
}
