import { type Limit, limits } from '../../src/wire/limits.ts'
import { code, markdownTable } from './markdown.ts'

/** Returns docs/reference/limits.md: the table of src/wire/limits.ts. */
export function limitsPage(): string {
  const rows = Object.values<Limit>(limits).map(({ counted, most, at, code: refusal = 'invalid_value', setting }) => [
    counted,
    most.toLocaleString('en-US') + (setting === undefined ? '' : `, or \`--${setting}\``),
    at.map((endpoint) => (endpoint.startsWith('api/') ? `/${endpoint}` : endpoint)).join(', '),
    code(refusal),
  ])
  return `# Limits of requests

A request beyond a limit is refused with the named [error](errors.md), whose message has the limit. A limit of tokens of -1 means no limit.

${markdownTable(['Counted', 'At most', 'At', 'Beyond it'], rows)}
`
}
