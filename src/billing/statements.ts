import { dayMs } from '../core/durations.ts'
import { latestRows, type Page, Store } from '../db/rows.ts'
import type { LedgerKind } from './ledger.ts'

interface Period {
  readonly accountId: string
  /** Start, inclusive, milliseconds UTC. */
  readonly fromMs: number
  /** End, exclusive, milliseconds UTC. */
  readonly toMs: number
}

interface PeriodSums {
  readonly openingNanoUsd: number
  readonly addedNanoUsd: number
  /** Not negative. */
  readonly spentNanoUsd: number
  /** `opening + added - spent`. The current balance if the period has not ended. */
  readonly closingNanoUsd: number
}

/** Row of the ledger with its purpose. */
interface StatementLine {
  readonly id: number
  readonly kind: LedgerKind
  readonly amountNanoUsd: number
  readonly balanceAfterNanoUsd: number
  readonly requestId: string | undefined
  readonly model: string | undefined
  readonly keyName: string | undefined
  readonly memo: string | undefined
  readonly createdMs: number
}

interface BalanceDay {
  /** UTC day, `YYYY-MM-DD`. */
  readonly day: string
  /** Balance at the end of the day. The current balance for today. */
  readonly balanceNanoUsd: number
  readonly addedNanoUsd: number
}

const source = {
  table: 'ledger',
  columns: `ledger.id, ledger.kind, ledger.amount AS amountNanoUsd, ledger.balance_after AS balanceAfterNanoUsd,
    ledger.request_id AS requestId, usage.model AS model,
    (SELECT name FROM api_keys WHERE id = usage.key_id) AS keyName, ledger.memo, ledger.created AS createdMs`,
  from: 'ledger LEFT JOIN usage ON usage.request_id = ledger.request_id',
  order: 'created',
} as const

/**
 * Account's view of its ledger. Earlier balances are the current one minus the amounts since, so that they match the
 * lines even if the clock was set back.
 */
export class Statements extends Store {
  /** Returns the lines of a period, the latest first. */
  lines({ accountId, fromMs, toMs }: Period, page: Page): StatementLine[] {
    // `+` makes SQLite enter the index at the last row of the page before, instead of at the period's end.
    const end = page.before === undefined ? 'ledger.created' : '+ledger.created'
    return latestRows(this.database, source, {
      ...page,
      filter: { account_id: accountId },
      conditions: ['ledger.created >= :fromMs', `${end} < :toMs`],
      values: { fromMs, toMs },
    })
  }

  sums({ accountId, fromMs, toMs }: Period): PeriodSums {
    const sql = `SELECT coalesce(sum(amount) FILTER (WHERE created < :toMs AND amount > 0), 0) AS added,
        coalesce(-sum(amount) FILTER (WHERE created < :toMs AND amount < 0), 0) AS spent,
        coalesce(sum(amount) FILTER (WHERE created >= :toMs), 0) AS later
      FROM ledger WHERE account_id = :accountId AND created >= :fromMs`
    const {
      added = 0,
      spent = 0,
      later = 0,
    } = this.first<{ added: number; spent: number; later: number }>(sql, { accountId, fromMs, toMs }) ?? {}
    const closingNanoUsd = this.#balance(accountId) - later
    return {
      openingNanoUsd: closingNanoUsd - added + spent,
      addedNanoUsd: added,
      spentNanoUsd: spent,
      closingNanoUsd,
    }
  }

  /** Returns the balance of each of the last days, the oldest first. The last one is today. */
  days(accountId: string, count: number): BalanceDay[] {
    const today = Math.floor(this.clock() / dayMs)
    const first = today - count + 1
    // After a clock was set back, rows may be later than today.
    const sql = `SELECT min(created / ${dayMs}, :today) AS day, sum(amount) AS moved,
        coalesce(sum(amount) FILTER (WHERE amount > 0), 0) AS added
      FROM ledger WHERE account_id = :accountId AND created >= :fromMs GROUP BY 1`
    const rows = this.all<{ day: number; moved: number; added: number }>(sql, {
      accountId,
      today,
      fromMs: first * dayMs,
    })
    const byDay = new Map(rows.map((row) => [row.day, row]))
    let balanceNanoUsd = this.#balance(accountId)
    const days: BalanceDay[] = []
    for (let day = today; day >= first; day--) {
      const { moved = 0, added = 0 } = byDay.get(day) ?? {}
      days.push({ day: new Date(day * dayMs).toISOString().slice(0, 10), balanceNanoUsd, addedNanoUsd: added })
      balanceNanoUsd -= moved
    }
    return days.reverse()
  }

  #balance(accountId: string): number {
    return (
      this.first<{ balance: number }>('SELECT balance FROM accounts WHERE id = :accountId', { accountId })?.balance ?? 0
    )
  }
}
