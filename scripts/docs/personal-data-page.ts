import { type PersonalTable, personalTables } from '../../src/db/personal-data.ts'
import { deletedKinds, keptForEver } from '../../src/db/retention.ts'
import { code, markdownTable } from './markdown.ts'

/** Returns docs/reference/personal-data.md: each table of the database with a person's data, from src/db/personal-data.ts. */
export function personalDataPage(): string {
  const tables: Readonly<Record<string, PersonalTable>> = personalTables
  const rows = Object.entries(tables).map(([name, { shown, hidden, erased }]) => [
    code(name),
    listed(shown),
    listed(hidden),
    erased === 'rows' ? 'all of each row' : listed(Object.keys(erased)),
    deletedKinds.find(({ table }) => table === name)?.kept ?? `stays: ${keptForEver[name]}`,
  ])
  const others = deletedKinds.filter(({ table }) => tables[table] === undefined)
  return `# Personal data

Tables of the database with rows about a person. \`inferd users export\` and the Account page show the exported columns; the others hold
secrets, hashes, and who else acted. \`inferd users erase\` empties the erased ones.

${markdownTable(['Table', 'Exported', 'Not exported', 'Erased', 'Kept'], rows)}

Rows that name no account and do not stay:

${markdownTable(
  ['Table', 'Kept'],
  others.map(({ table, kept }) => [code(table), kept]),
)}
`
}

function listed(names: readonly string[]): string {
  return names.length === 0 ? 'none' : names.map(code).join(', ')
}
