import type { Voice } from '../../core/speech-model-settings.ts'
import { errorReference } from '../error-reference.ts'
import { page } from '../page.ts'
import type { Access, Route } from '../route.ts'
import type { Exchange } from '../services.ts'

/** GET /docs/errors, to which the `docs_url` of every error leads. */
export function errorDocs(exchange: Exchange): Response {
  const rows = Object.entries(errorReference).map(
    ([code, { status, meaning }]) =>
      `<tr id="${Bun.escapeHTML(code)}"><td><code>${Bun.escapeHTML(code)}</code></td><td>${status}</td><td>${Bun.escapeHTML(meaning)}</td></tr>`,
  )
  return page(exchange, {
    title: 'Errors',
    body: `<p>Every error is JSON: <code>{"error":{"message","type","param","code","docs_url"}}</code>.
Under /v1/messages it is <code>{"type":"error","error":{"type","message","code","param","docs_url"},"request_id"}</code>,
and a 503 that ends by itself is a 529.</p>
<table><tr><th>code</th><th>status</th><th>meaning</th></tr>
${rows.join('\n')}
</table>`,
  })
}

const accessWords: Readonly<Record<Access, string>> = {
  public: 'anybody',
  key: 'holders of an API key',
  share: "holders of an API key of an operator's account",
  monitor: "programs on this machine, and holders of an API key of an operator's account",
  'own-host': 'anybody, under a host name of this server',
  'own-page': 'pages of this server',
  session: 'pages of this server, signed in',
  playground: 'pages of this server, signed in',
  'own-admin': "pages of this server, where the operator's may be used",
  operator: 'the same, signed in as an operator',
}

/** GET /docs: the routes that have a summary. */
export function routePage(exchange: Exchange, routes: readonly Route[]): Response {
  const rows = routes
    .filter(({ summary }) => summary !== undefined)
    .map(({ method, path, summary, access }) => {
      const name = `<code>${method} ${Bun.escapeHTML(path.replace('*', '{id}'))}</code>`
      return `<tr><td>${name}</td><td>${summary}</td><td>${accessWords[access]}</td></tr>`
    })
  return page(exchange, {
    title: 'Routes',
    body: `<p>Everything below /v1 is also served below /openai/v1. <a href="/openapi.json">openapi.json</a> says the same to
programs, with the fields of bodies. <a href="/docs/models">Models</a>, <a href="/docs/errors">errors</a>.</p>
<table><tr><th>route</th><th>what it does</th><th>for</th></tr>
${rows.join('\n')}
</table>`,
  })
}

/** GET /docs/models, to which the `docs` of every model leads. */
export function modelDocs(exchange: Exchange): Response {
  const { services, baseUrl } = exchange
  const sections = services.catalog.entries().map(({ manifest, status }) => {
    const facts = [
      `type ${manifest.type}`,
      status.kind === 'broken' ? `broken: ${status.reason}` : status.kind,
      ...(manifest.contextLength === undefined ? [] : [`context of ${manifest.contextLength} tokens`]),
      ...(manifest.dimensions === undefined ? [] : [`vectors of ${manifest.dimensions} dimensions`]),
      ...(manifest.transcriber?.languages === undefined
        ? []
        : [`understands ${manifest.transcriber.languages.join(', ')}`]),
      ...(manifest.synthesizer === undefined
        ? []
        : [`voices ${manifest.synthesizer.voices.map(voiceText).join(', ')}`]),
      ...(manifest.license === undefined ? [] : [`license ${manifest.license}`]),
      ...manifest.aliases.map((alias) => `also called ${alias.id}`),
    ]
    const items = facts.map((fact) => `<li>${Bun.escapeHTML(fact)}</li>`).join('')
    return `<h2 id="${Bun.escapeHTML(manifest.id)}">${Bun.escapeHTML(manifest.id)}</h2><ul>${items}</ul>`
  })
  const body = `<p>Base URL: <code>${Bun.escapeHTML(baseUrl)}/v1</code></p>\n${sections.join('\n')}`
  return page(exchange, { title: 'Models', body })
}

function voiceText({ name, aliases }: Voice): string {
  return aliases.length === 0 ? name : `${name} (${aliases.join(', ')})`
}

/** GET /, where a browser goes on to the pages. */
export function root(exchange: Exchange): Response {
  const wantsPage = exchange.request.headers.get('accept')?.includes('text/html') === true
  const response = wantsPage
    ? new Response(null, { status: 302, headers: { location: '/dashboard' } })
    : welcome(exchange)
  response.headers.set('vary', 'accept')
  return response
}

/** GET / and /openai, where some clients look before their first request. */
export function welcome({ baseUrl }: Exchange): Response {
  return Response.json({ name: 'inferd', base_url: `${baseUrl}/v1`, models: `${baseUrl}/v1/models` })
}
