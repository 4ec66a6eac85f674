import { clientsText } from '../../src/http/routes/docs.ts'
import { routes } from '../../src/http/routes.ts'
import { unservedSurfaces } from '../../src/http/unserved.ts'
import { endpointRows } from '../../src/testing/compatibility/rows/endpoints.ts'
import { asSentence, code, markdownTable } from './markdown.ts'

/** Returns docs/reference/routes.md: the table of src/http/routes.ts, and the requests that a test sends to it. */
export function routesPage(): string {
  const served = routes.flatMap((route) =>
    route.summary === undefined
      ? []
      : [[code(`${route.method} ${route.path.replace('*', '{id}')}`), route.summary, clientsText(route)]],
  )
  const statuses = endpointRows.map(({ method, path, status, remark }) => [
    code(`${method} ${path}`),
    String(status),
    asSentence(remark),
  ])
  const unserved = unservedSurfaces.map(({ paths, message }) => [paths.map(code).join(', '), message])
  return `# Routes

Each route of the server with a purpose for programs or people. A running server has this table at \`/docs\`, and an OpenAPI 3.1 document
with the fields of bodies at \`/openapi.json\`. Everything below \`/v1\` is also served below \`/openai/v1\`.

${markdownTable(['Route', 'What it does', 'Who is served'], served)}

## Requests of common clients

Clients send these requests; a correct one with a valid key is answered with this status. A path may end with a slash, a query that a
route does not know (\`?beta=true\`) is ignored, GET also answers HEAD, and every path answers OPTIONS with 204 for browsers.

${markdownTable(['Request', 'Status', 'Details'], statuses)}

## Not served

Every method at these paths and below them is a 404 \`not_supported\` with this message, and the header \`x-should-retry: false\`.

${markdownTable(['Path', 'Message'], unserved)}
`
}
