import { errorReference } from '../error-reference.ts'
import type { Exchange } from '../services.ts'

/** GET /docs/errors: where every `docs_url` of an error leads. */
export function errorDocs(): Response {
  const rows = Object.entries(errorReference).map(
    ([code, { status, meaning }]) =>
      `<tr id="${escapeHtml(code)}"><td><code>${escapeHtml(code)}</code></td><td>${status}</td><td>${escapeHtml(meaning)}</td></tr>`,
  )
  return page(
    'Errors',
    `<p>Every error is JSON: <code>{"error":{"message","type","param","code","docs_url"}}</code>.
Under /v1/messages it is <code>{"type":"error","error":{"type","message","code","param","docs_url"},"request_id"}</code>,
and a 503 that ends by itself is a 529.</p>
<table><tr><th>code</th><th>status</th><th>meaning</th></tr>
${rows.join('\n')}
</table>`,
  )
}

/** GET /docs/models: where the `docs` of a model leads. */
export function modelDocs({ services, baseUrl }: Exchange): Response {
  const sections = services.catalog.entries().map(({ manifest, status }) => {
    const facts = [
      `type ${manifest.type}`,
      status.kind === 'broken' ? `broken: ${status.reason}` : status.kind,
      ...(manifest.contextLength === undefined ? [] : [`context of ${manifest.contextLength} tokens`]),
      ...(manifest.license === undefined ? [] : [`license ${manifest.license}`]),
      ...manifest.aliases.map((alias) => `also called ${alias.id}`),
    ]
    const items = facts.map((fact) => `<li>${escapeHtml(fact)}</li>`).join('')
    return `<h2 id="${escapeHtml(manifest.id)}">${escapeHtml(manifest.id)}</h2><ul>${items}</ul>`
  })
  return page('Models', `<p>Base URL: <code>${escapeHtml(baseUrl)}/v1</code></p>\n${sections.join('\n')}`)
}

/** Addresses of the sections of `modelDocs`. */
export function modelDocsUrl(baseUrl: string): (canonicalId: string) => string {
  return (canonicalId) => `${baseUrl}/docs/models#${encodeURI(canonicalId)}`
}

/** GET / and /openai: says what this is. Some clients look here before their first request. */
export function welcome({ baseUrl }: Exchange): Response {
  return Response.json({ name: 'inferd', base_url: `${baseUrl}/v1`, models: `${baseUrl}/v1/models` })
}

function page(title: string, body: string): Response {
  const html = `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${title} · inferd</title>
<style>body{font:16px/1.5 sans-serif;max-width:60em;margin:2em auto;padding:0 1em}td,th{text-align:left;padding:.2em 1em .2em 0;vertical-align:top}:target{background:#ff06}</style></head>
<body><h1>${title}</h1>
${body}
</body></html>
`
  const headers = {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'",
  }
  return new Response(html, { headers })
}

function escapeHtml(text: string): string {
  return Bun.escapeHTML(text)
}
