import { Store } from '../db/rows.ts'
import { type Limits, limitLists, limitNumbers, strictest } from './limits.ts'
import type { BoundBy } from './request-rates.ts'

/** Setter of limits: the operator, groups of an identity provider, or the key's holder. Each has a row of its own. */
export type LimitSource = 'operator' | 'groups' | 'holder'

type Row = { readonly source: LimitSource } & Readonly<Record<keyof Limits, string | number | null>>

const columns = `source, daily_nano_usd AS dailyNanoUsd, monthly_nano_usd AS monthlyNanoUsd,
  requests_per_minute AS requestsPerMinute, tokens_per_minute AS tokensPerMinute, parallel, models, endpoints, networks`

/** Most subjects whose limits are kept in memory. */
const maximumKept = 20_000
const noLimits: Limits = {}

/** Limits of accounts and keys. */
export class LimitStore extends Store {
  /** Limits in force by subject, as committed; undefined where none are set. Only this process writes them. */
  readonly #kept = new Map<string, BoundBy | undefined>()
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

  /** Returns the limits in force, empty where none are set. */
  of(subject: string): Limits {
    return this.binding(subject)?.limits ?? noLimits
  }

  /**
   * Returns a subject with its limits in force; undefined where none are set. Reads the database once for each subject,
   * and never while no limit is set at all.
   */
  binding(subject: string): BoundBy | undefined {
    if (!this.isAnySet()) return undefined
    const kept = this.#kept.get(subject)
    if (kept !== undefined || this.#kept.has(subject)) return kept
    const set = Object.values(this.bySource(subject))
    const binding = set.length === 0 ? undefined : { subject, limits: set.reduce(strictest) }
    // A transaction may still be undone.
    if (this.database.inTransaction) return binding
    if (this.#kept.size >= maximumKept) this.#kept.clear()
    this.#kept.set(subject, binding)
    return binding
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
