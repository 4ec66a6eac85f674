import type { Exchange } from './services.ts'

export interface PageOptions {
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
