/** Comparison of a database that came from elsewhere with the schema of this program. */
import type { Database } from 'bun:sqlite'
import { openDatabase } from './open-database.ts'

interface Named {
  readonly type: string
  readonly name: string
  readonly sql: string | null
}

/**
 * Returns what an up-to-date database lacks, or has that this program did not put there and that would run: triggers
 * and views. A trigger of another text is foreign, whatever its name. Undefined if it is as this program makes it.
 */
export function schemaProblem(database: Database): string | undefined {
  using own = openDatabase(':memory:')
  const [expected, found] = [partsOf(own), partsOf(database)]
  const missing = [...expected.keys()].find((part) => !found.has(part))
  if (missing !== undefined) return `its database lacks ${missing}`
  const foreign = [...found].find(([part, text]) => text !== undefined && expected.get(part) !== text)
  return foreign && `its database holds ${foreign[0]}, which inferd did not make`
}

/** Returns the tables, columns, triggers and views of a database, the last two with the text of what they run. */
function partsOf(database: Database): ReadonlyMap<string, string | undefined> {
  const named = database.query<Named, []>(
    "SELECT type, name, sql FROM sqlite_schema WHERE type IN ('table', 'trigger', 'view')",
  )
  const parts = named.all().flatMap(({ type, name, sql }): [string, string | undefined][] => {
    if (type !== 'table') return [[`${type} ${name}`, sql ?? '']]
    const columns = database.query<{ name: string }, [string]>('SELECT name FROM pragma_table_info(?)').all(name)
    return [
      [`table ${name}`, undefined],
      ...columns.map((column): [string, undefined] => [`column ${name}.${column.name}`, undefined]),
    ]
  })
  return new Map(parts)
}
