import type { Database } from 'bun:sqlite'
import type { StoreOptions } from '../db/rows.ts'
import { attemptLimits } from '../operations/attempt-limits.ts'
import type { OperationServices } from '../operations/operation.ts'
import { openStores, type Stores, type StoresOptions } from '../operations/stores.ts'
import { testRules } from './account-rules.ts'
import { freshDatabase } from './fresh-database.ts'

export interface TestAccounts extends Disposable {
  readonly stores: Stores
  /** Services of operations, over these stores. */
  readonly services: OperationServices
  readonly database: Database
  /** Creates a metered account with a key and this much money, in nano-USD. */
  account(balanceNanoUsd: number): { accountId: string; keyId: string; key: string }
  /** Returns an account's balance and the part that is held, in nano-USD. */
  money(accountId: string): { balance: number; held: number }
}

/** Opens stores over a new database, with ids that count up, a clock that the test sets, and a disk of the test's. */
export function openTestAccounts(
  path = ':memory:',
  clock: () => number = () => 1_800_000_000_000,
  options: Omit<StoresOptions, keyof StoreOptions> = {},
): TestAccounts {
  const database = freshDatabase(path)
  let ids = 0
  const newId = (prefix: string, length = 24) => prefix + String(++ids).padEnd(length, 'x')
  const stores = openStores({ database, newId, clock, ...options })
  return {
    stores,
    services: { stores, clock, rules: testRules, limits: attemptLimits(), mails: { wake: () => undefined } },
    database,
    account: (balanceNanoUsd) => makeAccount({ database, stores, newId }, balanceNanoUsd),
    money: (accountId) => moneyOf(database, accountId),
    [Symbol.dispose]: () => {
      stores.commits.close()
      database.close()
    },
  }
}

interface AccountPlace {
  readonly database: Database
  readonly stores: Stores
  readonly newId: (prefix: string) => string
}

/** Creates a metered account with a key and this much money, in nano-USD. */
export function makeAccount({ database, stores, newId }: AccountPlace, balanceNanoUsd: number) {
  const accountId = newId('acc_')
  database.query('INSERT INTO accounts (id, name, created) VALUES (?, ?, 0)').run(accountId, 'test')
  if (balanceNanoUsd > 0) {
    stores.ledger.append({ accountId, kind: 'credit', amountNanoUsd: balanceNanoUsd, actor: 'system' })
  }
  const { id: keyId, key } = stores.keys.create({ accountId, name: 'test' })
  return { accountId, keyId, key }
}

/** Returns an account's balance and the part that is held, in nano-USD. */
export function moneyOf(database: Database, accountId: string): { balance: number; held: number } {
  const row = database
    .query<{ balance: number; held: number }, [string]>('SELECT balance, held FROM accounts WHERE id = ?')
    .get(accountId)
  if (row === null) throw new Error(`there is no account ${accountId}`)
  return row
}
