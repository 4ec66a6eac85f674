import type { Database } from 'bun:sqlite'
import { dayMs } from '../core/durations.ts'
import type { StoreOptions } from '../db/rows.ts'
import type { LimitStore } from './limit-store.ts'
import type { Limits } from './limits.ts'

/** Payer of a request. Limits of each of them bind it. */
export interface Payer {
  readonly accountId: string
  readonly keyId: string
  /** Member who uses a team's key, whose own limits bind beside the team's */
  readonly holderId?: string | undefined
}

/** Returns the ids whose limits bind a request. */
export function subjectsOf({ accountId, keyId, holderId }: Payer): readonly string[] {
  return holderId === undefined ? [accountId, keyId] : [accountId, keyId, holderId]
}

/** Budget of an account or a key in its present period. */
export interface Budget {
  readonly subject: string
  readonly per: 'day' | 'month'
  /** UTC day (2027-01-31) or month (2027-01) */
  readonly period: string
  readonly limitNanoUsd: number
  readonly spentNanoUsd: number
  readonly heldNanoUsd: number
  /** Part that can still be held, never negative */
  readonly leftNanoUsd: number
  /** Time at which the next period begins, milliseconds UTC. */
  readonly resetMs: number
}

/** Budget of which this part is spent */
export interface ReachedBudget extends Budget {
  readonly percent: number
  /** Account of the key, or the account itself */
  readonly accountId: string
}

/** Most budgets that are remembered as exhausted */
const maximumNoted = 10_000
/** Most subjects whose sums are kept in memory. */
const maximumKept = 20_000

interface BudgetsOptions extends StoreOptions {
  readonly limits: LimitStore
}

/** Calendar period of a budget, with its days since 1970. */
interface Period {
  readonly name: string
  readonly firstDay: number
  readonly endDay: number
}

/** Costs of the present day and month, nano-USD */
type Costs = Record<Budget['per'], number>

interface Held {
  readonly subjects: readonly string[]
  readonly amount: number
}

const limitFields = { day: 'dailyNanoUsd', month: 'monthlyNanoUsd' } as const satisfies Record<string, keyof Limits>
const kinds = ['day', 'month'] as const

/**
 * Costs and holds of requests against the budgets of their account, key and holder. Costs are those of the usage by UTC
 * day and month. What running requests hold counts too, in whatever period they end, so that no race and no midnight
 * can exceed a budget. Sums are kept in memory as this connection sees them, since only this process adds usage: a
 * request that fails to be stored makes them be read again. Without budgets nothing is read.
 */
export class Budgets {
  readonly #limits: LimitStore
  readonly #clock: () => number
  readonly #sql: ReturnType<typeof statements>
  /** Periods of the day on which they were last asked for */
  #periods: Periods = periodsAt(0)
  /** Costs in these periods by subject, where they were asked for */
  readonly #costs = new Map<string, Costs>()
  /** Amounts held by running requests, by request */
  readonly #holds = new Map<string, Held>()
  /** The same by subject, nano-USD */
  readonly #held = new Map<string, number>()
  /** Budgets that had too little left for a request, by subject and period, since they were last asked for. */
  readonly #exhausted = new Set<string>()

  constructor({ database, clock, limits }: BudgetsOptions) {
    this.#limits = limits
    this.#clock = clock
    this.#sql = statements(database)
  }

  /** Returns the present budgets of a subject. */
  of(subject: string): readonly Budget[] {
    return kinds.flatMap((per) => this.#budget(subject, per, 0) ?? [])
  }

  /** Returns the budget with the least money left for a payer's next request. Undefined without budgets. */
  tightestFor(payer: Payer): Budget | undefined {
    return this.#tightest(subjectsOf(payer), 0)
  }

  /**
   * Returns the budget with the least money left for a request, which includes what it holds itself. Undefined if it
   * holds nothing of budgets.
   */
  tightestOf(requestId: string): Budget | undefined {
    const held = this.#holds.get(requestId)
    return held && this.#tightest(held.subjects, held.amount)
  }

  #tightest(subjects: readonly string[], own: number): Budget | undefined {
    let least: Budget | undefined
    for (const subject of subjects) {
      for (const per of kinds) {
        const budget = this.#budget(subject, per, own)
        if (budget === undefined) continue
        if (least === undefined || budget.leftNanoUsd < least.leftNanoUsd) least = budget
      }
    }
    return least
  }

  #budget(subject: string, per: Budget['per'], own: number): Budget | undefined {
    const limitNanoUsd = this.#limits.of(subject)[limitFields[per]]
    if (limitNanoUsd === undefined) return undefined
    const { name: period, endDay } = this.#now()[per]
    const spentNanoUsd = this.#costsOf(subject)[per]
    const heldNanoUsd = this.#held.get(subject) ?? 0
    const leftNanoUsd = Math.max(0, limitNanoUsd - spentNanoUsd - heldNanoUsd + own)
    return { subject, per, period, limitNanoUsd, spentNanoUsd, heldNanoUsd, leftNanoUsd, resetMs: endDay * dayMs }
  }

  #costsOf(subject: string): Costs {
    const kept = this.#costs.get(subject)
    if (kept !== undefined) return kept
    const { day, month } = this.#now()
    const values = { subject, today: day.firstDay, firstDay: month.firstDay, endDay: month.endDay }
    const costs = this.#sql.costs.get(values) ?? { day: 0, month: 0 }
    if (this.#costs.size >= maximumKept) this.#costs.clear()
    this.#costs.set(subject, costs)
    return costs
  }

  /** Returns the amount that a request holds. Undefined if it holds nothing of budgets. */
  heldBy(requestId: string): number | undefined {
    return this.#holds.get(requestId)?.amount
  }

  /** Holds an amount that was found left of all budgets. */
  hold(requestId: string, payer: Payer, amount: number): void {
    this.#set(requestId, subjectsOf(payer), amount)
  }

  /** Changes the amount that a request holds, if it holds any. */
  resize(requestId: string, amount: number): void {
    const held = this.#holds.get(requestId)
    if (held !== undefined) this.#set(requestId, held.subjects, amount)
  }

  /** Releases everything that a request holds, and returns whether it held anything. */
  release(requestId: string): boolean {
    const held = this.#holds.get(requestId)
    if (held === undefined) return false
    this.#set(requestId, held.subjects, 0)
    return this.#holds.delete(requestId)
  }

  #set(requestId: string, subjects: readonly string[], amount: number): void {
    const before = this.#holds.get(requestId)?.amount ?? 0
    this.#holds.set(requestId, { subjects, amount })
    for (const subject of subjects) {
      const held = (this.#held.get(subject) ?? 0) + amount - before
      if (held === 0) this.#held.delete(subject)
      else this.#held.set(subject, held)
    }
  }

  /** Counts the cost of a request whose usage this transaction has added. */
  count(payer: Payer, costNanoUsd: number): void {
    if (this.#costs.size === 0) return
    this.#now() // At midnight the usage may stand in either day: sums are read again.
    for (const subject of subjectsOf(payer)) {
      const costs = this.#costs.get(subject)
      if (costs === undefined) continue
      for (const per of kinds) costs[per] += costNanoUsd
    }
  }

  /** Forgets all sums, so that they are read again. Call it where a transaction that counted a cost is undone. */
  forgetSums(): void {
    this.#costs.clear()
  }

  /** Records that a budget had too little left for a request. */
  noteExhausted({ subject, period }: Budget): void {
    if (this.#exhausted.size < maximumNoted) this.#exhausted.add(`${subject} ${period}`)
  }

  /**
   * Returns the budgets that have reached 80 or 100 percent, each once in its period, and records that. A budget is spent
   * once a request finds too little of it. Looks at budgets of which requests have asked. Call it within a transaction.
   */
  takeReached(): readonly ReachedBudget[] {
    const reached = [...this.#costs.keys()].flatMap((subject) =>
      this.of(subject).flatMap((each) => this.#reached(each)),
    )
    this.#exhausted.clear()
    return reached
  }

  #reached(budget: Budget): readonly ReachedBudget[] {
    const { subject, period, spentNanoUsd, limitNanoUsd } = budget
    const isSpent = spentNanoUsd >= limitNanoUsd || this.#exhausted.has(`${subject} ${period}`)
    const percent = isSpent ? 100 : spentNanoUsd >= limitNanoUsd * 0.8 ? 80 : 0
    if (percent === 0) return []
    const { changes } = this.#sql.tell.run({ subject, period, limitNanoUsd, percent })
    if (changes === 0) return []
    this.#sql.forget.run({ subject, period: this.#now().month.name })
    return [{ ...budget, percent, accountId: this.#sql.accountOf.get(subject)?.account_id ?? subject }]
  }

  #now(): Periods {
    const nowMs = this.#clock()
    if (Math.floor(nowMs / dayMs) !== this.#periods.day.firstDay) {
      this.#periods = periodsAt(nowMs)
      this.#costs.clear()
    }
    return this.#periods
  }
}

type Periods = Readonly<Record<Budget['per'], Period>>

function periodsAt(nowMs: number): Periods {
  const now = new Date(nowMs)
  const [year, month] = [now.getUTCFullYear(), now.getUTCMonth()]
  const text = now.toISOString()
  const today = Math.floor(nowMs / dayMs)
  return {
    day: { name: text.slice(0, 10), firstDay: today, endDay: today + 1 },
    month: {
      name: text.slice(0, 7),
      firstDay: Date.UTC(year, month) / dayMs,
      endDay: Date.UTC(year, month + 1) / dayMs,
    },
  }
}

function statements(database: Database) {
  type Row = Readonly<Record<string, string | number>>
  return {
    costs: database.prepare<Costs, [Row]>(
      `SELECT coalesce(sum(iif(day = :today, cost, 0)), 0) AS day, coalesce(sum(cost), 0) AS month FROM (
         SELECT day, cost FROM usage_days WHERE account_id = :subject AND day >= :firstDay AND day < :endDay
         UNION ALL SELECT day, cost FROM usage_days
         WHERE key_id IN (SELECT :subject UNION ALL SELECT id FROM api_keys WHERE holder_id = :subject)
           AND day >= :firstDay AND day < :endDay)`,
    ),
    tell: database.prepare<unknown, [Row]>(
      `INSERT INTO told_budgets VALUES (:subject, :period, :limitNanoUsd, :percent)
       ON CONFLICT DO UPDATE SET limit_nano_usd = :limitNanoUsd, percent = :percent
       WHERE limit_nano_usd <> :limitNanoUsd OR percent < :percent`,
    ),
    forget: database.prepare<unknown, [Row]>('DELETE FROM told_budgets WHERE subject = :subject AND period < :period'),
    accountOf: database.prepare<{ account_id: string }, [string]>('SELECT account_id FROM api_keys WHERE id = ?'),
  }
}
