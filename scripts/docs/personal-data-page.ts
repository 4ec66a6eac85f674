import { type PersonalTable, personalTables } from '../../src/db/personal-data.ts'
import { code, markdownTable } from './markdown.ts'

/** Returns docs/reference/personal-data.md: each table of the database with a person's data, from src/db/personal-data.ts. */
export function personalDataPage(): string {
  const tables: Readonly<Record<string, PersonalTable>> = personalTables
  const rows = Object.entries(tables).map(([name, { shown, hidden, erased }]) => [
    code(name),
    listed(shown),
    listed(hidden),
    erased === 'rows' ? 'all of each row' : listed(Object.keys(erased)),
  ])
  return `# Personal data

Tables of the database with rows about a person. \`inferd users export\` and the Account page show the exported columns; the others hold
secrets, hashes, and who else acted. \`inferd users erase\` empties the last ones. How long rows are kept: [company.md](../company.md).

${markdownTable(['Table', 'Exported', 'Not exported', 'Erased'], rows)}
`
}

function listed(names: readonly string[]): string {
  return names.length === 0 ? 'none' : names.map(code).join(', ')
}
