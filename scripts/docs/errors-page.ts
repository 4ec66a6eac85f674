import { errorReference } from '../../src/http/error-reference.ts'
import { code, markdownTable } from './markdown.ts'

/**
 * Returns docs/reference/errors.md: the table of src/http/error-reference.ts, which a server also shows at
 * /docs/errors.
 */
export function errorsPage(): string {
  const rows = Object.entries(errorReference).map(([name, { status, meaning }]) => [
    code(name),
    String(status),
    meaning.replaceAll('<', '\\<'),
  ])
  return `# Errors

Every error is JSON with a \`code\` of this table. Its \`message\` says what is wrong and what to do, \`param\` names the field.
Its \`docs_url\` leads to the row of its code at \`/docs/errors\` of the server.

| Format | Shape |
|---|---|
| all but those below | \`{"error": {"message", "type", "param", "code", "docs_url"}}\` |
| below \`/v1/messages\` | \`{"type": "error", "error": {"type", "message", "code", "param", "docs_url"}, "request_id"}\`; a 503 that ends by itself is a 529 |
| Cohere's (\`/v1/embed\`, \`/v2/…\`) | \`{"message", "code", "param", "docs_url", "id"}\` |
| Ollama's (\`/api/…\`) | \`{"error": "…", "code", "param", "docs_url"}\`; also as a line of a stream |

${markdownTable(['Code', 'Status', 'Meaning'], rows)}
`
}
