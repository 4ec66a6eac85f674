export interface PageOptions {
  readonly title: string
  /** HTML; whatever comes from outside is escaped in it. */
  readonly body: string
  readonly status?: number
}

const style = `:root{color-scheme:light dark}body{font:16px/1.5 sans-serif;max-width:60em;margin:2em auto;padding:0 1em}
td,th{text-align:left;padding:.2em 1em .2em 0;vertical-align:top}:target{background:#ff06}`

/** A plain HTML page that loads nothing, stands in no frame, and tells nobody where its reader came from. */
export function page({ title, body, status = 200 }: PageOptions): Response {
  const html = `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>${title} · inferd</title>
<style>${style}</style></head>
<body><h1>${title}</h1>
${body}
</body></html>
`
  const headers = {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; base-uri 'none'",
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
  }
  return new Response(html, { status, headers })
}
