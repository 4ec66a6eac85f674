import type { Database } from 'bun:sqlite'
import { dollars } from '../core/money.ts'
import { verifyAudit } from '../db/audit-chain.ts'
import { usageKeptFrom } from '../db/retention.ts'
import { schemaDifferences } from '../db/schema-differences.ts'
import { givenBackPrefix } from './ledger.ts'

export interface IntegrityReport {
  /** One line per problem. Empty if everything agrees. */
  readonly problems: readonly string[]
  readonly accounts: number
  readonly ledgerRows: number
  readonly balancesNanoUsd: number
  readonly openHolds: number
  readonly heldNanoUsd: number
  /** Accounts and keys that are limited to networks */
  readonly limitedToNetworks: number
  /** Time of the latest erasure of a person, milliseconds UTC. 0 without any. */
  readonly latestErasureMs: number
}

interface Check {
  /** Selects rows that must not exist. */
  readonly sql: string
  readonly describe: (row: Found) => string
}

/** Columns of all checks. Each check selects those it needs. */
interface Found {
  id: string
  expected: number
  found: number
}

/** Longest time between the rows of one request in the ledger and in the usage, which read the clock one after the other. */
const bookedApartMs = 60_000

/** Checks for states that must not exist between two transactions. */
const checks: readonly Check[] = [
  {
    sql: `SELECT accounts.id, accounts.balance AS found, coalesce(sum(ledger.amount), 0) AS expected
          FROM accounts LEFT JOIN ledger ON ledger.account_id = accounts.id
          GROUP BY accounts.id HAVING found <> expected`,
    describe: ({ id, found, expected }) =>
      `account ${id} has ${dollars(found)}, its ledger rows add up to ${dollars(expected)}`,
  },
  {
    sql: `SELECT id, balance_after AS found, before + amount AS expected
          FROM (SELECT id, amount, balance_after,
                  coalesce(lag(balance_after) OVER (PARTITION BY account_id ORDER BY id), 0) AS before FROM ledger)
          WHERE found <> expected`,
    describe: ({ id, found, expected }) =>
      `ledger row ${id} says ${dollars(found)} afterwards, after the row before it is ${dollars(expected)}`,
  },
  {
    sql: `SELECT accounts.id, accounts.held AS found, coalesce(sum(holds.amount), 0) AS expected
          FROM accounts LEFT JOIN holds ON holds.account_id = accounts.id
          GROUP BY accounts.id HAVING found <> expected`,
    describe: ({ id, found, expected }) =>
      `account ${id} holds ${dollars(found)}, its requests hold ${dollars(expected)}`,
  },
  {
    sql: 'SELECT id, balance AS expected, held AS found FROM accounts WHERE balance < 0 OR held < 0 OR held > balance',
    describe: ({ id, found, expected }) => `account ${id} holds ${dollars(found)} of a balance of ${dollars(expected)}`,
  },
  {
    sql: `SELECT usage.request_id AS id, usage.charged AS found,
            coalesce(-ledger.amount, 0) - coalesce(back.amount, 0) AS expected
          FROM usage LEFT JOIN ledger ON ledger.request_id = usage.request_id AND ledger.account_id = usage.account_id
            LEFT JOIN ledger AS back ON back.idempotency_key = '${givenBackPrefix}' || usage.request_id
              AND back.account_id = usage.account_id
          WHERE found <> expected`,
    describe: ({ id, found, expected }) =>
      `request ${id} was charged ${dollars(found)}, in the ledger ${dollars(expected)}`,
  },
  {
    sql: `SELECT ledger.request_id AS id, -ledger.amount AS found, 0 AS expected
          FROM ledger LEFT JOIN usage ON usage.request_id = ledger.request_id
          WHERE ledger.request_id IS NOT NULL AND usage.request_id IS NULL
            AND (${usageKeptFrom} = 0 OR ledger.created >= ${usageKeptFrom} + ${bookedApartMs})`,
    describe: ({ id, found }) => `request ${id} was charged ${dollars(found)} and has no record of what it used`,
  },
  {
    sql: `SELECT holds.request_id AS id, holds.amount AS found, 0 AS expected
          FROM holds JOIN usage ON usage.request_id = holds.request_id`,
    describe: ({ id, found }) => `request ${id} is over and still holds ${dollars(found)}`,
  },
  {
    sql: `SELECT id, 0 AS found, 0 AS expected FROM api_keys
          WHERE holder_id IS NOT NULL AND revoked IS NULL AND NOT EXISTS (
            SELECT 1 FROM memberships WHERE team_id = api_keys.account_id AND memberships.account_id = holder_id)`,
    describe: ({ id }) => `key ${id} is held by somebody who is no member of its team`,
  },
  {
    sql: `SELECT vouchers.id, CASE WHEN vouchers.redeemed IS NULL THEN 0 ELSE vouchers.amount END AS expected,
            coalesce(ledger.amount, 0) AS found
          FROM vouchers LEFT JOIN ledger ON ledger.voucher_id = vouchers.id
            AND ledger.account_id IS vouchers.redeemed_by
          WHERE found <> expected`,
    describe: ({ id, found, expected }) => `voucher ${id} gave ${dollars(found)} instead of ${dollars(expected)}`,
  },
  {
    sql: `SELECT account_id || ' on ' || date(day * 86400, 'unixepoch') AS id, sum(told) AS found, sum(made) AS expected
          FROM (SELECT account_id, day, charged AS told, 0 AS made FROM usage_days WHERE day * 86400000 >= ${usageKeptFrom}
                UNION ALL SELECT account_id, created / 86400000, 0, charged FROM usage WHERE +created >= ${usageKeptFrom})
          GROUP BY account_id, day HAVING found <> expected`,
    describe: ({ id, found, expected }) =>
      `the usage of account ${id} is told as ${dollars(found)}, its requests add up to ${dollars(expected)}`,
  },
]

const maximumPerCheck = 20
const nothingCounted = {
  accounts: 0,
  ledgerRows: 0,
  balancesNanoUsd: 0,
  openHolds: 0,
  heldNanoUsd: 0,
  limitedToNetworks: 0,
  latestErasureMs: 0,
}

/**
 * Checks that the database is intact and its money adds up. Reads all of it, so call it within a transaction to see one
 * state. Skips the sums if the file is damaged. Throws if the file cannot be read at all.
 */
export function checkIntegrity(database: Database): IntegrityReport {
  const damages = damagesOf(database)
  // Further queries on a damaged file return errors or nonsense.
  if (damages.length > 0) return { problems: damages, ...nothingCounted }
  const problems = [
    ...schemaDifferences(database),
    ...orphansIn(database),
    ...moneyProblems(database),
    ...auditProblems(database),
  ]
  return { problems, ...totalsOf(database) }
}

function damagesOf(database: Database): string[] {
  return database
    .query<{ integrity_check: string }, []>(`PRAGMA integrity_check(${maximumPerCheck})`)
    .all()
    .filter((row) => row.integrity_check !== 'ok')
    .map((row) => `the file is damaged: ${row.integrity_check.replaceAll('\n', ' ')}`)
}

function orphansIn(database: Database): string[] {
  return database
    .query<{ table: string; rowid: number | null; parent: string }, []>('PRAGMA foreign_key_check')
    .all()
    .slice(0, maximumPerCheck)
    .map(
      ({ table, rowid, parent }) =>
        `${rowid === null ? 'a row' : `row ${rowid}`} of "${table}" names a row of "${parent}" that is not there`,
    )
}

function moneyProblems(database: Database): string[] {
  return checks.flatMap(({ sql, describe }) => {
    const rows = database.query<Found, []>(`${sql} LIMIT ${maximumPerCheck + 1}`).all()
    const lines = rows.slice(0, maximumPerCheck).map(describe)
    return rows.length > maximumPerCheck ? [...lines, 'and more of this kind'] : lines
  })
}

/** Rows of the audit log that are verified: the latest. `inferd audit verify` reads all of them. */
const verifiedAuditRows = 100_000

function auditProblems(database: Database): readonly string[] {
  return verifyAudit(database, verifiedAuditRows).problems
}

/** Returns the totals. A select without FROM always gives a row. */
function totalsOf(database: Database): typeof nothingCounted {
  const sql = `SELECT (SELECT count(*) FROM accounts) AS accounts, (SELECT count(*) FROM ledger) AS ledgerRows,
    (SELECT total(balance) FROM accounts) AS balancesNanoUsd, (SELECT count(*) FROM holds) AS openHolds,
    (SELECT total(amount) FROM holds) AS heldNanoUsd,
    (SELECT count(DISTINCT subject) FROM limits WHERE networks IS NOT NULL) AS limitedToNetworks,
    (SELECT coalesce(max(created), 0) FROM erasures) AS latestErasureMs`
  return database.query<typeof nothingCounted, []>(sql).get() ?? nothingCounted
}
