/** Comparison of a database that came from elsewhere with the schema of this program. */
import type { Database } from 'bun:sqlite'
import { openDatabase } from './open-database.ts'

interface Named {
  readonly type: string
  readonly name: string
}

/**
 * Returns what an up-to-date database lacks, or has that this program did not put there and that would run: triggers
 * and views. Undefined if it is as this program makes it.
 */
export function schemaProblem(database: Database): string | undefined {
  using own = openDatabase(':memory:')
  const [expected, found] = [own, database].map(partsOf)
  const missing = [...(expected ?? [])].find((part) => !part.startsWith('trigger ') && !found?.has(part))
  if (missing !== undefined) return `its database lacks ${missing}`
  const foreign = [...(found ?? [])].find((part) => /^(trigger|view) /.test(part) && expected?.has(part) !== true)
  return foreign && `its database holds ${foreign}, which inferd did not make`
}

/** Returns the tables, columns, triggers and views of a database. */
function partsOf(database: Database): ReadonlySet<string> {
  const named = database.query<Named, []>(
    "SELECT type, name FROM sqlite_schema WHERE type IN ('table', 'trigger', 'view')",
  )
  const parts = named.all().flatMap(({ type, name }) => {
    const columns =
      type === 'table' ? database.query<Named, [string]>('SELECT name FROM pragma_table_info(?)').all(name) : []
    return [`${type} ${name}`, ...columns.map((column) => `column ${name}.${column.name}`)]
  })
  return new Set(parts)
}
