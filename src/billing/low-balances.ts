import { Store } from '../db/rows.ts'

interface LowBalance {
  /** Id of the ledger's row. */
  readonly id: number
  readonly accountId: string
  readonly balanceNanoUsd: number
}

/** Balances that fell below a limit, read from the ledger after the fact, so that no charge waits for it. */
export class LowBalances extends Store {
  /** Returns the id of the ledger's last row, 0 without any. */
  lastId(): number {
    return this.first<{ id: number | null }>('SELECT max(id) AS id FROM ledger')?.id ?? 0
  }

  /** Returns the rows in (after, until] by which a balance fell from the limit or above to below it. */
  between({ after, until, limitNanoUsd }: { after: number; until: number; limitNanoUsd: number }): LowBalance[] {
    const sql = `SELECT id, account_id AS accountId, balance_after AS balanceNanoUsd FROM ledger
      WHERE id > :after AND id <= :until AND balance_after < :limitNanoUsd AND balance_after - amount >= :limitNanoUsd
      ORDER BY id`
    return this.all(sql, { after, until, limitNanoUsd })
  }
}
