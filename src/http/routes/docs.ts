import { X509Certificate } from 'node:crypto'
import { sshForward } from '../../core/listen-address.ts'
import type { Voice } from '../../core/speech-model-settings.ts'
import { trustSteps } from '../../tls/trust-root.ts'
import { errorReference } from '../error-reference.ts'
import type { Exchange } from '../exchange.ts'
import { hint } from '../own-commands.ts'
import { page, wantsPage } from '../page.ts'
import type { Access, Route } from '../route.ts'

/** Serves GET /docs/errors, the target of every error's `docs_url`. */
export function errorDocs(exchange: Exchange<'ui'>): Response {
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

const eitherOf = new Intl.ListFormat('en', { type: 'disjunction' })

/** Returns which clients a route serves. */
export function clientsText({ access, roles }: Pick<Route, 'access' | 'roles'>): string {
  return access === 'staff' ? `${accessWords.staff} ${eitherOf.format(roles)}` : accessWords[access]
}

const accessWords: Readonly<Record<Access, string>> = {
  public: 'anybody',
  key: 'holders of an API key',
  ollama: 'holders of an API key, and programs on this machine where these need none',
  share: "holders of an API key of an operator's account",
  monitor: "programs on this machine, and holders of an API key of an operator's or auditor's account",
  'own-host': 'anybody, under a host name of this server',
  'own-page': 'pages of this server',
  session: 'pages of this server, signed in',
  playground: 'pages of this server, signed in',
  'own-admin': "pages of this server, where the operator's may be used",
  staff: 'the same, signed in as',
}

/** Serves GET /docs: the routes that have a summary. */
export function routePage(exchange: Exchange<'ui'>, routes: readonly Route[]): Response {
  const rows = routes
    .filter(({ summary }) => summary !== undefined)
    .map((route) => {
      const { method, path, summary } = route
      const name = `<code>${method} ${Bun.escapeHTML(path.replace('*', '{id}'))}</code>`
      return `<tr><td>${name}</td><td>${summary}</td><td>${clientsText(route)}</td></tr>`
    })
  return page(exchange, {
    title: 'Routes',
    body: `<p>Everything below /v1 is also served below /openai/v1. <a href="/openapi.json">openapi.json</a> says the same to
programs, with the fields of bodies. <a href="/docs/models">Models</a>, <a href="/docs/errors">errors</a>,
<a href="/docs/tls">encrypted connections</a>.</p>
<table><tr><th>route</th><th>what it does</th><th>for</th></tr>
${rows.join('\n')}
</table>`,
  })
}

/** Serves GET /docs/models, the target of every model's `docs`. */
export function modelDocs(exchange: Exchange<'ui' | 'catalog' | 'config'>): Response {
  const { services, baseUrl } = exchange
  const sections = services.catalog.entries().map(({ manifest, status }) => {
    const facts = [
      `type ${manifest.type}`,
      status.kind === 'broken' ? `broken: ${hint(exchange, status.reason)}` : status.kind,
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

function certifiedText({ origin }: URL): string {
  return `<p>This server speaks TLS with a certificate that its operator chose: use <code>${Bun.escapeHTML(origin)}</code>.</p>`
}

/** Returns how each system trusts this server's own authority. */
function trustText(rootCertificate: string): string {
  const { fingerprint256 } = new X509Certificate(rootCertificate)
  const rows = trustSteps.map(({ system, step, isCommand }) => {
    const shown = Bun.escapeHTML(step)
    return `<tr><td>${system}</td><td>${isCommand ? `<code>${shown}</code>` : shown}</td></tr>`
  })
  return `<p>This server speaks TLS with a certificate of its own authority, which each client must trust once.</p>
<p><a href="/ca.pem" download="inferd-ca.pem">Download inferd-ca.pem</a>, and compare its SHA-256 with the one that the operator
tells (<code>inferd tls root</code>):</p>
<pre>${fingerprint256}</pre>
<table><thead><tr><th>System</th><th>Step</th></tr></thead><tbody>${rows.join('')}</tbody></table>`
}

/** Serves GET /docs/tls, to which the pages link on an unencrypted connection. */
export function tlsDocs(exchange: Exchange<'ui' | 'config' | 'encryption'>): Response {
  const { port, services, url } = exchange
  if (services.encryption !== undefined) {
    const { rootCertificate } = services.encryption
    const body = rootCertificate === undefined ? certifiedText(url) : trustText(rootCertificate)
    return page(exchange, { title: 'Encrypted connections', body })
  }
  const forward = Bun.escapeHTML(sshForward('HOST', { host: services.config.host, port }))
  const body = `<p>This server speaks plain HTTP. What goes over a network can be read and changed on the way: passwords, API keys, prompts
and answers. Browsers keep the microphone and the clipboard from such pages too.</p>
<h2>For one person: SSH</h2>
<pre>${forward}</pre>
<p>Then open <code>http://127.0.0.1:${port}</code> on your own machine. Browsers trust that address, and SSH encrypts the way.</p>
<h2>For everybody: TLS here</h2>
<p>With a certificate of a public authority, or in a network without one, of an own authority whose root certificate clients trust
once (<code>inferd tls root</code>):</p>
<pre>inferd serve --host 0.0.0.0 --port 443 --tls acme --acme-agree-terms --public-url https://ai.example.com
inferd serve --host 0.0.0.0 --port 443 --tls own-ca</pre>
<h2>For everybody: a TLS proxy</h2>
<p>Or have inferd listen on 127.0.0.1, put a proxy with a certificate in front, and tell inferd of both:</p>
<pre>inferd serve --public-url https://ai.example.com --trusted-proxies 127.0.0.1</pre>
<p>Caddy gets and renews the certificate by itself. This is the whole Caddyfile:</p>
<pre>ai.example.com {
  reverse_proxy 127.0.0.1:${port}
}</pre>
<p>For a name that only your own network knows, add <code>tls internal</code> and have the machines trust Caddy's root certificate.
nginx must neither hold answers back nor refuse recordings and pictures:</p>
<pre>server {
  listen 443 ssl;
  server_name ai.example.com;
  ssl_certificate     /etc/ssl/ai.example.com.pem;
  ssl_certificate_key /etc/ssl/ai.example.com.key;
  client_max_body_size 128m;
  location / {
    proxy_pass http://127.0.0.1:${port};
    proxy_set_header Host $host;
    proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;
    proxy_buffering off;
    proxy_request_buffering off;
    proxy_read_timeout 1h;
  }
}</pre>
<p>The operator's pages stay on the machine itself unless <code>--admin network</code> opens them to the proxy's clients.</p>`
  return page(exchange, { title: 'Encrypted connections', body })
}

/** Serves GET /: redirects browsers to the pages. */
export function root(exchange: Exchange): Response {
  const response = wantsPage(exchange)
    ? new Response(null, { status: 302, headers: { location: '/dashboard' } })
    : welcome(exchange)
  response.headers.set('vary', 'accept')
  return response
}

/** Serves GET / and /openai, which some clients request first. */
export function welcome({ baseUrl }: Exchange): Response {
  return Response.json({ name: 'inferd', base_url: `${baseUrl}/v1`, models: `${baseUrl}/v1/models` })
}
