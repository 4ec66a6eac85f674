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
  /** True if the database has its sums. */
  readonly isStored: boolean
}

/** Budget of which this part is spent */
export interface ReachedBudget extends Budget {
  readonly percent: number
  /** Account of the key, or the account itself */
  readonly accountId: string
}

/** Most budgets that are remembered as exhausted */
const maximumNoted = 10_000

interface BudgetsOptions extends StoreOptions {
  readonly limits: LimitStore
}

/** Calendar period of a budget, with its days since 1970. */
interface Period {
  readonly name: string
  readonly firstDay: number
  readonly endDay: number
}

interface Sums {
  readonly spent: number
  readonly held: number
}

interface HeldRow extends Sums {
  readonly subject: string
  readonly period: string
  readonly amount: number
}

const limitFields = { day: 'dailyNanoUsd', month: 'monthlyNanoUsd' } as const satisfies Record<string, keyof Limits>
const kinds = ['day', 'month'] as const

/**
 * Costs of requests against the budgets of their account and their key, counted by the UTC period in which a request
 * began to hold money. Holds of running requests count too, so that no race can exceed a budget. Without budgets
 * nothing is read or written.
 */
export class Budgets {
  readonly #limits: LimitStore
  readonly #clock: () => number
  readonly #sql: ReturnType<typeof statements>
  /** Periods of the day on which they were last asked for */
  #periods: Periods = periodsAt(0)
  /** True once this process has held anything against a budget. */
  #hasHeld = false
  /** Budgets that had too little left for a request, by subject and period, since they were last asked for. */
  readonly #exhausted = new Set<string>()

  constructor({ database, clock, limits }: BudgetsOptions) {
    this.#limits = limits
    this.#clock = clock
    this.#sql = statements(database)
  }

  /** Returns the present budgets of a subject. */
  of(subject: string): readonly Budget[] {
    return this.#present([subject])
  }

  /** Returns the present budgets that bind a payer's requests. */
  ofPayer(payer: Payer): readonly Budget[] {
    return this.#present(subjectsOf(payer))
  }

  #present(subjects: readonly string[]): readonly Budget[] {
    const limited = subjects.flatMap((subject) => {
      const limits = this.#limits.of(subject)
      return kinds.flatMap((per) => {
        const limitNanoUsd = limits[limitFields[per]]
        return limitNanoUsd === undefined ? [] : [{ subject, per, limitNanoUsd }]
      })
    })
    if (limited.length === 0) return []
    const periods = this.#now()
    const [account, key, holder] = subjects
    const bound = { account: account ?? null, key: key ?? null, holder: holder ?? null }
    const rows = this.#sql.sums.all({ ...bound, day: periods.day.name, month: periods.month.name })
    return limited.map((budget) => {
      const { subject, per } = budget
      const period = periods[per]
      const row = rows.find((each) => each.subject === subject && each.period === period.name)
      const sums = row ?? { spent: this.#usageOf(subject, period), held: 0 }
      return toBudget({ ...budget, period, sums, own: 0, isStored: row !== undefined })
    })
  }

  /**
   * Returns the budget that a request holds money of with the least money left, which includes what the request holds
   * itself. Undefined if it holds none.
   */
  tightestOf(requestId: string): Budget | undefined {
    if (!this.#hasHeld) return undefined
    const budgets = this.#sql.ofRequest.all(requestId).flatMap(({ subject, period, amount, ...sums }) => {
      const per = kindOf(period)
      const limitNanoUsd = this.#limits.of(subject)[limitFields[per]]
      if (limitNanoUsd === undefined) return []
      return toBudget({ subject, per, limitNanoUsd, period: toPeriod(period), sums, own: amount, isStored: true })
    })
    return tightest(budgets)
  }

  /** Records that a budget had too little left for a request. */
  noteExhausted({ subject, period }: Budget): void {
    if (this.#exhausted.size < maximumNoted) this.#exhausted.add(`${subject} ${period}`)
  }

  /**
   * Returns the budgets that have reached 80 or 100 percent, each once in its period, and records that. A budget is spent
   * once a request finds too little of it. Call it within a transaction.
   */
  takeReached(): readonly ReachedBudget[] {
    const reached = kinds.flatMap((per) => {
      const period = this.#now()[per].name
      return this.#sql.spent.all(period).flatMap(({ subject, told }) => {
        const budget = this.of(subject).find((each) => each.per === per)
        if (budget === undefined) return []
        const isSpent = budget.spentNanoUsd >= budget.limitNanoUsd || this.#exhausted.has(`${subject} ${period}`)
        const percent = isSpent ? 100 : budget.spentNanoUsd >= budget.limitNanoUsd * 0.8 ? 80 : 0
        if (percent <= told) return []
        this.#sql.tell.run({ subject, period, told: percent })
        return [{ ...budget, percent, accountId: this.#sql.accountOf.get(subject)?.account_id ?? subject }]
      })
    })
    this.#exhausted.clear()
    return reached
  }

  /**
   * Holds an amount against all budgets of a payer. Call it with them in the transaction that has found enough left of
   * each.
   */
  hold(requestId: string, payer: Payer, budgets: readonly Budget[], amount: number): void {
    if (budgets.length === 0) return
    this.#hasHeld = true
    for (const { subject, period, isStored } of budgets) if (!isStored) this.#begin(subject, toPeriod(period))
    const { day, month } = this.#now()
    const { accountId, keyId, holderId = null } = payer
    this.#sql.hold.run({ requestId, accountId, keyId, holderId, day: day.name, month: month.name, amount })
  }

  resize(requestId: string, amount: number): void {
    if (this.#hasHeld) this.#sql.resize.run({ requestId, amount })
  }

  /** Releases everything that a request holds, and returns whether it held anything. */
  release(requestId: string): boolean {
    return this.#hasHeld && this.#sql.release.run(requestId).changes > 0
  }

  /**
   * Ends a request and counts its cost. Call it in the transaction of its settlement, before the usage is recorded.
   * A request that began before a budget was set counts as well.
   */
  settle(requestId: string, payer: Payer, costNanoUsd: number): void {
    const isLimited = this.#isLimited(payer)
    if (!this.#hasHeld && !isLimited) return
    const held = this.#hasHeld ? this.#sql.end.get(requestId) : null
    if (costNanoUsd === 0 || (held === null && !isLimited)) return
    const now = this.#now()
    const { accountId: account, keyId: key, holderId: holder = null } = payer
    const { day, month } = held ?? { day: now.day.name, month: now.month.name }
    this.#sql.spend.run({ account, key, holder, day, month, cost: costNanoUsd })
    if (day !== now.day.name) this.#move(payer, { from: day, to: now.day, costNanoUsd })
    if (month !== now.month.name) this.#move(payer, { from: month, to: now.month, costNanoUsd })
  }

  /** Returns whether any budget binds a payer's requests. */
  #isLimited(payer: Payer): boolean {
    return subjectsOf(payer).some((subject) => {
      const limits = this.#limits.of(subject)
      return kinds.some((per) => limits[limitFields[per]] !== undefined)
    })
  }

  /** Records that usage counts a cost in a later period than its budgets. */
  #move(payer: Payer, { from, to, costNanoUsd }: { from: string; to: Period; costNanoUsd: number }): void {
    for (const { subject, period, isStored } of this.ofPayer(payer)) {
      if (period !== to.name) continue
      if (!isStored) this.#begin(subject, to)
      this.#sql.move.run({ subject, period: from, cost: costNanoUsd })
      this.#sql.move.run({ subject, period: to.name, cost: -costNanoUsd })
    }
  }

  /** Makes the row of a period from the usage so far. Deletes rows from before last month. */
  #begin(subject: string, period: Period): void {
    const lastMonth = new Date((toPeriod(period.name.slice(0, 7)).firstDay - 1) * dayMs).toISOString().slice(0, 7)
    this.#sql.forget.run(subject, lastMonth)
    this.#sql.begin.run({ subject, period: period.name, spent: this.#usageOf(subject, period) })
  }

  #now(): Periods {
    const nowMs = this.#clock()
    if (Math.floor(nowMs / dayMs) !== this.#periods.day.firstDay) this.#periods = periodsAt(nowMs)
    return this.#periods
  }

  #usageOf(subject: string, { firstDay, endDay }: Period): number {
    return this.#sql.usage.get({ subject, firstDay, endDay })?.cost ?? 0
  }
}

/** Returns the budget with the least money left; undefined if there is none. */
export function tightest(budgets: readonly Budget[]): Budget | undefined {
  return budgets.toSorted((a, b) => a.leftNanoUsd - b.leftNanoUsd)[0]
}

interface BudgetParts extends Pick<Budget, 'subject' | 'per' | 'limitNanoUsd' | 'isStored'> {
  readonly period: Period
  readonly sums: Sums
  /** Amount held by the request that asks, nano-USD. */
  readonly own: number
}

function toBudget({ subject, per, limitNanoUsd, isStored, period, sums: { spent, held }, own }: BudgetParts): Budget {
  return {
    ...{ subject, per, period: period.name, limitNanoUsd, spentNanoUsd: spent, heldNanoUsd: held },
    leftNanoUsd: Math.max(0, limitNanoUsd - spent - held + own),
    resetMs: period.endDay * dayMs,
    isStored,
  }
}

type Periods = Readonly<Record<Budget['per'], Period>>

function periodsAt(nowMs: number): Periods {
  const day = new Date(nowMs).toISOString().slice(0, 10)
  return { day: toPeriod(day), month: toPeriod(day.slice(0, 7)) }
}

function kindOf(period: string): Budget['per'] {
  return period.length === 10 ? 'day' : 'month'
}

function toPeriod(name: string): Period {
  const [year = 0, month = 1, day] = name.split('-').map(Number)
  const firstDay = Date.UTC(year, month - 1, day ?? 1) / dayMs
  return { name, firstDay, endDay: day === undefined ? Date.UTC(year, month) / dayMs : firstDay + 1 }
}

/** Zeroes everything held by the requests of a server that died. Call it within a transaction. */
export function releaseBudgets(database: Database): void {
  database.run('DELETE FROM budget_holds')
  database.run('UPDATE spent SET held = 0 WHERE held <> 0')
}

function statements(database: Database) {
  type Row = Readonly<Record<string, string | number | null>>
  return {
    sums: database.prepare<Sums & { subject: string; period: string }, [Row]>(
      `SELECT subject, period, spent, held FROM spent
       WHERE subject IN (:account, :key, :holder) AND period IN (:day, :month)`,
    ),
    ofRequest: database.prepare<HeldRow, [string]>(
      `SELECT subject, period, amount, spent, held
       FROM budget_holds JOIN spent ON subject IN (account_id, key_id, holder_id) AND period IN (day, month)
       WHERE request_id = ?`,
    ),
    begin: database.prepare<unknown, [Row]>(
      `INSERT INTO spent (subject, period, spent, held) VALUES (:subject, :period, :spent,
         (SELECT coalesce(sum(amount), 0) FROM budget_holds
          WHERE :subject IN (account_id, key_id, holder_id) AND :period IN (day, month)))`,
    ),
    forget: database.prepare<unknown, [string, string]>(
      'DELETE FROM spent WHERE subject = ? AND period < ? AND held = 0',
    ),
    hold: database.prepare<unknown, [Row]>(
      'INSERT INTO budget_holds VALUES (:requestId, :accountId, :keyId, :holderId, :day, :month, :amount)',
    ),
    resize: database.prepare<unknown, [Row]>('UPDATE budget_holds SET amount = :amount WHERE request_id = :requestId'),
    release: database.prepare<unknown, [string]>('DELETE FROM budget_holds WHERE request_id = ?'),
    end: database.prepare<{ day: string; month: string }, [string]>(
      'DELETE FROM budget_holds WHERE request_id = ? RETURNING day, month',
    ),
    spend: database.prepare<unknown, [Row]>(
      `UPDATE spent SET spent = spent + :cost
       WHERE subject IN (:account, :key, :holder) AND period IN (:day, :month)`,
    ),
    move: database.prepare<unknown, [Row]>(
      'UPDATE spent SET moved = moved + :cost WHERE subject = :subject AND period = :period',
    ),
    spent: database.prepare<{ subject: string; told: number }, [string]>(
      'SELECT subject, told FROM spent WHERE period = ? AND told < 100',
    ),
    tell: database.prepare<unknown, [Row]>(
      'UPDATE spent SET told = :told WHERE subject = :subject AND period = :period',
    ),
    accountOf: database.prepare<{ account_id: string }, [string]>('SELECT account_id FROM api_keys WHERE id = ?'),
    usage: database.prepare<{ cost: number }, [Row]>(
      `SELECT coalesce(sum(cost), 0) AS cost FROM (
         SELECT cost FROM usage_days WHERE account_id = :subject AND day >= :firstDay AND day < :endDay
         UNION ALL SELECT cost FROM usage_days
         WHERE key_id IN (SELECT :subject UNION ALL SELECT id FROM api_keys WHERE holder_id = :subject)
           AND day >= :firstDay AND day < :endDay)`,
    ),
  }
}
