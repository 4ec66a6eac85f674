import type { PersonalTableName } from '../db/personal-data.ts'
import type { OperationInput, OperationResult } from './operations.ts'

/** Export that has begun. */
interface BegunExport {
  readonly account: string
  /** Milliseconds UTC. */
  readonly exportedMs: number
  readonly tables: readonly PersonalTableName[]
}

/** Reads a page of an export. */
type ReadRows = (
  input: OperationInput<'accounts-export-rows'>,
) => Promise<Pick<OperationResult<'accounts-export-rows'>, 'rows'> & { readonly next?: string | null | undefined }>

/**
 * Yields the pieces of an export as one JSON file: the rows of each table in order. Times are milliseconds UTC, money is
 * nano-USD. Reads a page at a time, since an account may have a million rows.
 */
export async function* exportFile(
  { account, exportedMs, tables }: BegunExport,
  read: ReadRows,
): AsyncGenerator<string> {
  const head = { format: 'inferd account export 1', account, exportedMs }
  yield `${JSON.stringify(head, undefined, 1).replace(/\n}$/, '')},\n "tables": {`
  for (const [at, table] of tables.entries()) {
    yield `${at === 0 ? '' : ','}\n  ${JSON.stringify(table)}: [`
    let after: string | undefined
    let isFirst = true
    do {
      const { rows, next } = await read({ account, table, after })
      if (rows.length > 0) yield `${isFirst ? '' : ','}\n   ${rows.map((row) => JSON.stringify(row)).join(',\n   ')}`
      isFirst = false
      after = next ?? undefined
    } while (after !== undefined)
    yield ']'
  }
  yield '\n }\n}\n'
}
