import type { Database } from 'bun:sqlite'
import { givenBackPrefix } from './ledger.ts'

interface BookSums {
  readonly balancesNanoUsd: number
  /** Part of the balances that running requests hold. */
  readonly heldNanoUsd: number
  readonly chargedTodayNanoUsd: number
  readonly chargedThisMonthNanoUsd: number
  /** Credits minus manual withdrawals. */
  readonly creditedNanoUsd: number
  readonly vouchersRedeemedNanoUsd: number
  /** Vouchers that can still be redeemed. */
  readonly vouchersOpenNanoUsd: number
  /** Starter credits, which nobody paid for. */
  readonly givenAwayNanoUsd: number
}

// `total`, because `sum` fails beyond 64 bits. Exact up to 9 million USD, like all amounts here.
const charged = (since: string) => `(SELECT total(charged) FROM usage WHERE created >= ${since})`
const moved = (...kinds: string[]) =>
  `(SELECT total(amount) FROM ledger WHERE kind IN (${kinds.map((kind) => `'${kind}'`).join(', ')})
    AND (idempotency_key IS NULL OR idempotency_key NOT GLOB '${givenBackPrefix}*'))`

const sql = `SELECT total(balance) AS balancesNanoUsd, total(held) AS heldNanoUsd,
    ${charged(':today')} AS chargedTodayNanoUsd, ${charged(':month')} AS chargedThisMonthNanoUsd,
    ${moved('credit', 'adjustment')} AS creditedNanoUsd, ${moved('voucher')} AS vouchersRedeemedNanoUsd,
    (SELECT total(amount) FROM vouchers
     WHERE redeemed IS NULL AND revoked IS NULL AND (expires IS NULL OR expires > :now)) AS vouchersOpenNanoUsd,
    ${moved('starter_credit')} AS givenAwayNanoUsd
  FROM accounts`

/** Sums of all balances and of their sources. Days and months are UTC. */
export function sumBooks(database: Database, nowMs: number): BookSums {
  const now = new Date(nowMs)
  const [year, month] = [now.getUTCFullYear(), now.getUTCMonth()]
  const values = { now: nowMs, today: Date.UTC(year, month, now.getUTCDate()), month: Date.UTC(year, month) }
  const sums = database.query<BookSums, [typeof values]>(sql).get(values)
  if (sums === null) throw new Error('a sum over all rows always has a row')
  return sums
}
