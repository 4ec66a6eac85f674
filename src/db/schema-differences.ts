import { Database } from 'bun:sqlite'
import { migrations } from './migrations/index.ts'

/** Tables that Litestream adds to the database it copies. They hold nothing of ours. */
const tablesOfCopier = ['_litestream_seq', '_litestream_lock']

interface SchemaPart {
  type: string
  name: string
  sql: string
}

/**
 * Returns differences between a database's schema and the result of the migrations, such as `trigger "x" is missing`.
 * The triggers and checks protect the money.
 */
export function schemaDifferences(database: Database): string[] {
  const expected = expectedParts()
  const found = partsOf(database)
  const differences = [...expected].flatMap(([name, part]) => {
    const own = found.get(name)
    if (own === undefined) return `${part.type} "${name}" is missing`
    return own.sql === part.sql ? [] : `${part.type} "${name}" is not as this program makes it`
  })
  const added = [...found.values()].filter(({ name }) => !expected.has(name) && !tablesOfCopier.includes(name))
  return [...differences, ...added.map(({ type, name }) => `${type} "${name}" is not this program's`)]
}

function expectedParts(): Map<string, SchemaPart> {
  using database = new Database(':memory:')
  for (const { sql } of migrations) database.run(sql)
  return partsOf(database)
}

/** Returns the parts without the indexes that SQLite makes for itself. */
function partsOf(database: Database): Map<string, SchemaPart> {
  const rows = database
    .query<SchemaPart, []>(
      "SELECT type, name, sql FROM sqlite_schema WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite_%'",
    )
    .all()
  return new Map(rows.map((row) => [row.name, row]))
}
