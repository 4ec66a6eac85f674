/**
 * Chain of hashes over the audit log. Whoever has noted a row's chain can tell later that no row up to it was changed,
 * added or removed. Details of erased persons may go: the chain is over their salted hash, which stays.
 */
import type { Database } from 'bun:sqlite'
import { createHash, randomBytes } from 'node:crypto'

export interface ChainedRow {
  readonly id: number
  readonly created: number
  readonly actor: string
  readonly action: string
  readonly account_id: string | null
  /** JSON. */
  readonly details: string
  /** Null once the details were erased. */
  readonly salt: Uint8Array | null
  readonly digest: Uint8Array | null
  readonly chain: Uint8Array | null
}

export const chainedColumns = 'id, created, actor, action, account_id, details, salt, digest, chain'

/** Chain before the first row. */
const start = new Uint8Array(32)
const saltBytes = 16

/** Row as written, before it is chained. */
export type UnchainedRow = Omit<ChainedRow, 'salt' | 'digest' | 'chain'>

/**
 * Returns the salt, digest and chain of a row that follows another, whose chain is `previous`. A row that had salt and
 * digest in another log keeps them.
 */
export function chainRow(
  previous: Uint8Array | null | undefined,
  row: UnchainedRow & Partial<Pick<ChainedRow, 'salt' | 'digest'>>,
): Pick<ChainedRow, 'salt' | 'digest' | 'chain'> {
  const isKept = row.digest !== undefined && row.digest !== null
  const salt = isKept ? (row.salt ?? null) : randomBytes(saltBytes)
  const digest = isKept ? row.digest : digestOf(salt, row.details)
  return { salt, digest, chain: chainOf(previous ?? start, row, digest) }
}

function digestOf(salt: Uint8Array | null, details: string): Uint8Array {
  return createHash('sha256')
    .update(salt ?? '')
    .update(details)
    .digest()
}

function chainOf(
  previous: Uint8Array,
  { id, created, actor, action, account_id: account }: UnchainedRow,
  digest: Uint8Array,
): Uint8Array {
  const fields = [hex(previous), id, created, actor, action, account, hex(digest)]
  return createHash('sha256').update(JSON.stringify(fields)).digest()
}

/** Chains the rows that have no chain yet, after those that have. Call it within a transaction. */
export function chainEarlierRows(database: Database): void {
  const last = database.query<{ id: number; chain: Uint8Array }, []>(
    'SELECT id, chain FROM audit_log WHERE chain IS NOT NULL ORDER BY id DESC LIMIT 1',
  )
  const next = database.query<ChainedRow, [number]>(
    `SELECT ${chainedColumns} FROM audit_log WHERE id > ? ORDER BY id LIMIT 1000`,
  )
  const update = database.query('UPDATE audit_log SET salt = :salt, digest = :digest, chain = :chain WHERE id = :id')
  let { id: after, chain: previous } = last.get() ?? { id: 0, chain: start }
  for (let rows = next.all(after); rows.length > 0; rows = next.all(after)) {
    for (const row of rows) {
      const made = chainRow(previous, row)
      update.run({ id: row.id, ...made })
      previous = made.chain ?? start
      after = row.id
    }
  }
}

export interface AuditVerdict {
  readonly rows: number
  /** Latest row, with its chain in hexadecimal digits. Undefined if there are no rows. */
  readonly latest: { readonly id: number; readonly chain: string } | undefined
  /** One line per problem, up to a limit. Empty if the log is as it was written. */
  readonly problems: readonly string[]
}

const maximumProblems = 20

/** Verifies rows of the audit log: all, or the latest `maximumRows`, whose first is trusted to be right. */
export function verifyAudit(database: Database, maximumRows?: number): AuditVerdict {
  const first = maximumRows === undefined ? undefined : boundaryOf(database, maximumRows)
  const rows = database.query<ChainedRow & { erased: number }, [number]>(
    `SELECT ${chainedColumns}, account_id IN (SELECT account_id FROM erasures) AS erased
     FROM audit_log WHERE id > ? ORDER BY id`,
  )
  const problems: string[] = []
  let [previous, count] = [first?.chain ?? start, 0]
  let latest: ChainedRow | undefined
  for (const row of rows.iterate(first?.id ?? 0)) {
    const problem = problemOf(row, previous)
    if (problem !== undefined && problems.length < maximumProblems) problems.push(`audit row ${row.id} ${problem}`)
    previous = row.chain ?? start
    latest = row
    count++
  }
  return { rows: count, latest: latest && { id: latest.id, chain: hex(latest.chain ?? start) }, problems }
}

export interface AuditExportPage {
  /** Earliest time, milliseconds UTC. */
  readonly sinceMs?: number | undefined
  /** Id of the last row of the page before. */
  readonly afterId?: number | undefined
  readonly limit?: number | undefined
}

/** Returns rows for a log elsewhere, the oldest first. Bytes are hexadecimal digits. */
export function exportAudit(database: Database, { sinceMs, afterId, limit = 100 }: AuditExportPage) {
  const sql = `SELECT ${chainedColumns} FROM audit_log WHERE id > :after AND created >= :since ORDER BY id LIMIT :limit`
  const values = { after: afterId ?? 0, since: sinceMs ?? 0, limit }
  const rows = database.query<ChainedRow, [Record<string, number>]>(sql).all(values)
  return rows.map(({ account_id: accountId, created: createdMs, salt, digest, chain, ...row }) => ({
    ...{ id: row.id, createdMs, actor: row.actor, action: row.action, accountId, details: row.details },
    ...{ salt: salt && hex(salt), digest: digest && hex(digest), chain: chain && hex(chain) },
  }))
}

/** Returns the row before the latest `count` rows. */
function boundaryOf(database: Database, count: number): { id: number; chain: Uint8Array | null } | undefined {
  const sql = 'SELECT id, chain FROM audit_log ORDER BY id DESC LIMIT 1 OFFSET ?'
  return database.query<{ id: number; chain: Uint8Array | null }, [number]>(sql).get(count) ?? undefined
}

function problemOf(row: ChainedRow & { readonly erased: number }, previous: Uint8Array): string | undefined {
  if (row.digest === null || row.chain === null) return 'has no chain: it was not written by inferd'
  const isErased = row.erased === 1 && row.details === '{}'
  if (row.salt === null ? !isErased : !isSame(digestOf(row.salt, row.details), row.digest))
    return 'has other details than were written'
  if (!isSame(chainOf(previous, row, row.digest), row.chain))
    return 'does not follow from the row before it: one of them was changed, added or removed'
  return undefined
}

function isSame(one: Uint8Array, other: Uint8Array): boolean {
  return Buffer.compare(one, other) === 0
}

function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex')
}
