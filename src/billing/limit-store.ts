import { Store } from '../db/rows.ts'
import { type Limits, limitLists, limitNumbers, strictest } from './limits.ts'

/** Setter of limits: the operator, groups of an identity provider, or the key's holder. Each has a row of its own. */
export type LimitSource = 'operator' | 'groups' | 'holder'

type Row = { readonly source: LimitSource } & Readonly<Record<keyof Limits, string | number | null>>

const columns = `source, daily_nano_usd AS dailyNanoUsd, monthly_nano_usd AS monthlyNanoUsd,
  requests_per_minute AS requestsPerMinute, tokens_per_minute AS tokensPerMinute, parallel, models, endpoints, networks`

/** Most subjects whose limits are kept in memory. */
const maximumKept = 20_000
/** Limits of a subject for which none are set. */
export const noLimits: Limits = {}

/** Limits of accounts and keys. */
export class LimitStore extends Store {
  /** Limits in force by subject, as committed. Only this process writes them. */
  readonly #kept = new Map<string, Limits>()
  /** Undefined until it is read, and after each change. */
  #isAnySet: boolean | undefined

  /** Replaces the limits of one source. Empty limits remove them. Call it within a transaction. */
  set(subject: string, limits: Limits, source: LimitSource = 'operator'): void {
    this.#kept.delete(subject)
    this.#isAnySet = undefined
    this.write('DELETE FROM limits WHERE subject = :subject AND source = :source', { subject, source })
    const numbers = limitNumbers.map((name) => [name, limits[name]] as const)
    const lists = limitLists.map((name) => [name, limits[name] && JSON.stringify(limits[name])] as const)
    const values = Object.fromEntries([...numbers, ...lists])
    if (Object.values(values).some((value) => value !== undefined)) {
      this.write(
        `INSERT INTO limits VALUES (:subject, :source, :dailyNanoUsd, :monthlyNanoUsd, :requestsPerMinute, :tokensPerMinute,
           :parallel, :models, :endpoints, :networks)`,
        { ...values, subject, source },
      )
    }
  }

  /** Returns the limits of a subject by who set them. */
  bySource(subject: string): Partial<Record<LimitSource, Limits>> {
    const sql = `SELECT ${columns} FROM limits WHERE subject = :subject`
    return Object.fromEntries(this.all<Row>(sql, { subject }).map((row) => [row.source, toLimits(row)]))
  }

  /**
   * Returns the limits in force, or `noLimits` itself. Reads the database once for each subject, and never while no limit
   * is set at all.
   */
  of(subject: string): Limits {
    if (!this.isAnySet()) return noLimits
    const kept = this.#kept.get(subject)
    if (kept !== undefined) return kept
    const limits = Object.values(this.bySource(subject)).reduce(strictest, noLimits)
    // A transaction may still be undone.
    if (this.database.inTransaction) return limits
    if (this.#kept.size >= maximumKept) this.#kept.clear()
    this.#kept.set(subject, limits)
    return limits
  }

  /** Returns whether any subject has limits. */
  isAnySet(): boolean {
    if (this.#isAnySet !== undefined) return this.#isAnySet
    const isAny = this.first('SELECT 1 FROM limits LIMIT 1') !== undefined
    if (!this.database.inTransaction) this.#isAnySet = isAny
    return isAny
  }
}

function toLimits(row: Row): Limits {
  const numbers = limitNumbers.map((name) => [name, row[name]])
  const lists = limitLists.map((name) => [name, row[name] && JSON.parse(String(row[name]))])
  return Object.fromEntries([...numbers, ...lists].filter(([, limit]) => limit !== null))
}
