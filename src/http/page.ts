import { createHash } from 'node:crypto'

export interface PageOptions {
  readonly title: string
  /** HTML, with foreign text escaped. */
  readonly body: string
  readonly status?: number
  /** JavaScript, which may send requests to this server alone. */
  readonly script?: string
}

const style = `:root{color-scheme:light dark}body{font:16px/1.5 sans-serif;max-width:60em;margin:2em auto;padding:0 1em}
td,th{text-align:left;padding:.2em 1em .2em 0;vertical-align:top}table{display:block;overflow-x:auto}
input,button{font:inherit;padding:.4em .6em;margin:.2em .4em .2em 0;max-width:100%}[hidden]{display:none}#notice{min-height:1.5em}:target{background:#ff06}`

/** A plain HTML page that loads nothing, is shown in no frame, and sends no referrer. */
export function page({ title, body, status = 200, script }: PageOptions): Response {
  const html = `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>${title} · inferd</title>
<style>${style}</style></head>
<body><h1>${title}</h1>
${body}${script === undefined ? '' : `\n<script>${script}</script>`}
</body></html>
`
  const headers = {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': [
      "default-src 'none'",
      "style-src 'unsafe-inline'",
      "frame-ancestors 'none'",
      "base-uri 'none'",
      "form-action 'none'",
      ...(script === undefined
        ? []
        : [`script-src 'sha256-${createHash('sha256').update(script).digest('base64')}'`, "connect-src 'self'"]),
    ].join('; '),
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
  }
  return new Response(html, { status, headers })
}
