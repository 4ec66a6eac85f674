import { expect, test } from 'bun:test'
import { exportRows, exportTables } from './export-person.ts'
import { openDatabase } from './open-database.ts'
import { impersonalTables, type PersonalTable, personalTables } from './personal-data.ts'

const rules = Object.entries<PersonalTable>(personalTables)

function columnsByTable(): Map<string, readonly string[]> {
  using database = openDatabase(':memory:')
  const tables = database
    .query<{ name: string }, []>("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'")
    .all()
  const columns = database.query<{ name: string }, [string]>('SELECT name FROM pragma_table_info(?)')
  return new Map(tables.map(({ name }) => [name, columns.all(name).map((column) => column.name)]))
}

test('every table says how the data of a person in it is exported and erased, or that it holds none', () => {
  const described = [...Object.keys(personalTables), ...Object.keys(impersonalTables)]
  expect([...columnsByTable().keys()].sort()).toEqual(described.sort())
})

test('every column of a table with personal data is shown by exports, or hidden', () => {
  const found = columnsByTable()
  for (const [table, { shown, hidden }] of rules)
    expect([table, ...[...shown, ...hidden].sort()]).toEqual([table, ...[...(found.get(table) ?? [])].sort()])
})

test('the rows of each table can be read in their order', () => {
  using database = openDatabase(':memory:')
  for (const table of exportTables)
    for (let after: string | undefined, pages = 0; pages === 0 || after !== undefined; pages++) {
      const page = exportRows(database, { account: 'acc_none', table, after, limit: 1 })
      expect(page.rows).toEqual([])
      after = page.next
    }
})

test('only columns of the table are erased', () => {
  for (const [, { shown, hidden, erased }] of rules)
    if (erased !== 'rows') expect([...shown, ...hidden]).toEqual(expect.arrayContaining(Object.keys(erased)))
})

test('no export shows a secret or its hash', () => {
  const shown = rules.flatMap(([table, { shown: columns }]) => columns.map((column) => `${table}.${column}`))
  expect(shown.filter((name) => /hash|secret|salt|digest|chain|idempotency/.test(name))).toEqual([])
})

test('a table that names accounts holds personal data', () => {
  const impersonal = [...columnsByTable()].filter(([table]) => table in impersonalTables)
  const naming = impersonal.filter(([, columns]) => columns.some((column) => /account|email|user|team/.test(column)))
  expect(naming).toEqual([])
})
