import { newId } from '../core/ids.ts'
import { asJson } from '../operations/as-json.ts'
import { attemptLimits } from '../operations/attempt-limits.ts'
import { type OperationName, operations, runOperation } from '../operations/operations.ts'
import { openStores, type StoresOptions } from '../stores.ts'
import type { OperationTarget } from './call-operation.ts'
import { CommandError } from './io.ts'

/** Runs an operation in this process on a database just opened, in one transaction, and closes it. */
export async function runAlone(
  database: StoresOptions['database'],
  { baseUrl, actor, rules }: OperationTarget,
  { name, input }: { readonly name: OperationName; readonly input: Record<string, unknown> },
): Promise<unknown> {
  try {
    const stores = openStores({ database, newId, clock: Date.now })
    const services = { stores, rules, limits: attemptLimits(), mails: { wake: () => undefined }, clock: Date.now }
    const run = () => asJson(runOperation(services, { kind: 'operator', actor, baseUrl }, { name, input }))
    // A reader must not ask for the writer's place, which the server has.
    return operations[name].kind === 'read' ? database.transaction(run)() : await stores.commits.run(run)
  } catch (error) {
    if (!isOfSqlite(error)) throw error
    throw new CommandError(`${database.filename} cannot be used: ${error.message}`)
  } finally {
    database.close()
  }
}

/** Damage, a full disk and the like: the message alone would not say which file. */
function isOfSqlite(error: unknown): error is Error {
  return error instanceof Error && error.name === 'SQLiteError'
}
