import { type Limit, limits } from '../../wire/limits.ts'

/** The table of limits as docs/compatibility.md shows it, in Markdown. */
export function limitsTable(): string {
  const rows = Object.values<Limit>(limits).map((limit) => `| ${cellsOf(limit).join(' | ')} |`)
  return ['| Counted | At most | At | Beyond it |', '|---|---|---|---|', ...rows].join('\n')
}

function cellsOf({ counted, most, at, code, setting }: Limit): string[] {
  const count = most.toLocaleString('en-US')
  const endpoints = at.map((endpoint) => (endpoint.startsWith('api/') ? `/${endpoint}` : endpoint)).join(', ')
  const refusal = code === undefined ? 'invalid_value' : code
  return [counted, setting === undefined ? count : `${count}, or \`--${setting}\``, endpoints, `\`${refusal}\``]
}
