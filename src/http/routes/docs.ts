import { errorReference } from '../error-reference.ts'
import { page } from '../page.ts'
import type { Exchange } from '../services.ts'

/** GET /docs/errors: where every `docs_url` of an error leads. */
export function errorDocs(): Response {
  const rows = Object.entries(errorReference).map(
    ([code, { status, meaning }]) =>
      `<tr id="${escapeHtml(code)}"><td><code>${escapeHtml(code)}</code></td><td>${status}</td><td>${escapeHtml(meaning)}</td></tr>`,
  )
  return page({
    title: 'Errors',
    body: `<p>Every error is JSON: <code>{"error":{"message","type","param","code","docs_url"}}</code>.
Under /v1/messages it is <code>{"type":"error","error":{"type","message","code","param","docs_url"},"request_id"}</code>,
and a 503 that ends by itself is a 529.</p>
<table><tr><th>code</th><th>status</th><th>meaning</th></tr>
${rows.join('\n')}
</table>`,
  })
}

/** GET /docs/models: where the `docs` of a model leads. */
export function modelDocs({ services, baseUrl }: Exchange): Response {
  const sections = services.catalog.entries().map(({ manifest, status }) => {
    const facts = [
      `type ${manifest.type}`,
      status.kind === 'broken' ? `broken: ${status.reason}` : status.kind,
      ...(manifest.contextLength === undefined ? [] : [`context of ${manifest.contextLength} tokens`]),
      ...(manifest.dimensions === undefined ? [] : [`vectors of ${manifest.dimensions} dimensions`]),
      ...(manifest.license === undefined ? [] : [`license ${manifest.license}`]),
      ...manifest.aliases.map((alias) => `also called ${alias.id}`),
    ]
    const items = facts.map((fact) => `<li>${escapeHtml(fact)}</li>`).join('')
    return `<h2 id="${escapeHtml(manifest.id)}">${escapeHtml(manifest.id)}</h2><ul>${items}</ul>`
  })
  const body = `<p>Base URL: <code>${escapeHtml(baseUrl)}/v1</code></p>\n${sections.join('\n')}`
  return page({ title: 'Models', body })
}

/** Addresses of the sections of `modelDocs`. */
export function modelDocsUrl(baseUrl: string): (canonicalId: string) => string {
  return (canonicalId) => `${baseUrl}/docs/models#${encodeURI(canonicalId)}`
}

/** GET / and /openai: says what this is. Some clients look here before their first request. */
export function welcome({ baseUrl }: Exchange): Response {
  return Response.json({ name: 'inferd', base_url: `${baseUrl}/v1`, models: `${baseUrl}/v1/models` })
}

function escapeHtml(text: string): string {
  return Bun.escapeHTML(text)
}
