/**
 * Duration of a step by its rows, learned from earlier steps: the median of the latest ones, or the smaller of two. So
 * one outlier, such as the slow first step of a model, decides nothing, and old steps are soon forgotten.
 */
import { type SizeTimes, type StepCurve, timesKept } from '../../../core/step-costs.ts'

/** Measurements from which the cost of prompts is known. A single one may be slow, such as the first of a process. */
const trusted = 2
/** Minimum share of a step's time attributed to a prompt, relative to equal cost of all rows. */
const leastPromptShare = 0.5
/** Minimum cost of a row beyond the measured ones, relative to a measured one. */
const leastFurtherShare = 0.5
/** Steps with prompts after which a size that seems dearer than a smaller one is measured again. */
const retrySteps = 64

/** Durations by number of rows. */
class Times {
  readonly #byRows = new Map<number, readonly number[]>()
  /** Number of measurements needed. Fewer count only if there are no others. */
  readonly #trusted: number

  /** Steps with any number of rows. */
  #steps = 0
  readonly #lastSteps = new Map<number, number>()

  /** `known` are times of an earlier load, treated as just measured. */
  constructor(trusted: number, known: readonly SizeTimes[] = []) {
    this.#trusted = trusted
    for (const [rows, timesMs] of known) {
      this.#byRows.set(rows, timesMs)
      this.#lastSteps.set(rows, 0)
    }
  }

  /** Returns the times to keep, with four significant digits. */
  kept(): readonly SizeTimes[] {
    return [...this.#byRows].map(([rows, timesMs]) => [rows, timesMs.map((ms) => Number(ms.toPrecision(4)))])
  }

  add(rows: number, ms: number): void {
    this.#lastSteps.set(rows, ++this.#steps)
    const latest = [ms, ...(this.#byRows.get(rows) ?? [])].slice(0, timesKept)
    this.#byRows.set(rows, latest)
  }

  /**
   * Forgets larger numbers of rows that seem dearer and have not been measured for long: everything may have been
   * slower then.
   */
  forgetDearer(rows: number): void {
    for (const known of [...this.#byRows.keys()]) {
      if (known > rows && this.since(known) > retrySteps && this.#median(known) > this.#median(rows))
        this.#byRows.delete(known)
    }
  }

  /** Returns the number of remembered measurements of exactly that many rows. */
  count(rows: number): number {
    return this.#byRows.get(rows)?.length ?? 0
  }

  /** Returns the measurements since the last one of exactly that many rows; infinite if there was none. */
  since(rows: number): number {
    return this.#steps - (this.#lastSteps.get(rows) ?? Number.NEGATIVE_INFINITY)
  }

  /** Largest measured number of rows. */
  get most(): number {
    return Math.max(0, ...this.#known)
  }

  /**
   * Returns the duration, interpolated between measured numbers of rows, constant outside of them. 0 without
   * measurements.
   */
  at(rows: number): number {
    let below = 0
    let above = Number.POSITIVE_INFINITY
    for (const known of this.#known) {
      if (known <= rows && known > below) below = known
      if (known >= rows && known < above) above = known
    }
    if (above === Number.POSITIVE_INFINITY) return this.#median(below)
    if (below === 0 || above === below) return this.#median(above)
    const part = (rows - below) / (above - below)
    return this.#median(below) * (1 - part) + this.#median(above) * part
  }

  /**
   * Returns the duration of the smallest trusted number of rows that is at least `rows`; undefined if there is none.
   */
  above(rows: number): number | undefined {
    const known = [...this.#byRows.keys()].filter((each) => each >= rows && this.count(each) >= this.#trusted)
    return known.length === 0 ? undefined : this.#median(Math.min(...known))
  }

  get #known(): readonly number[] {
    const all = [...this.#byRows.keys()]
    const trusted = all.filter((rows) => this.count(rows) >= this.#trusted)
    return trusted.length > 0 ? trusted : all
  }

  #median(rows: number): number {
    const sorted = (this.#byRows.get(rows) ?? []).toSorted((one, other) => one - other)
    return sorted[(sorted.length - 1) >> 1] ?? 0
  }
}

export class StepCosts {
  readonly #answers: Times
  /** Cost per row by the number of prompt rows in a step. */
  readonly #promptRow: Times

  constructor({ answers, promptRow }: Partial<Pick<StepCurve, 'answers' | 'promptRow'>> = {}) {
    this.#answers = new Times(1, answers)
    this.#promptRow = new Times(trusted, promptRow)
  }

  get isMeasured(): boolean {
    return this.#answers.most + this.#promptRow.most > 0
  }

  /** Returns all measurements that count, for the next load. */
  kept(): Pick<StepCurve, 'answers' | 'promptRow'> {
    return { answers: this.#answers.kept(), promptRow: this.#promptRow.kept() }
  }

  /**
   * Returns the expected duration of a step with that many rows of answers, including proposed ones, and of prompts. 0
   * means unknown. Fewer rows than measured take as long as the fewest measured. More take proportionally longer, so
   * that an unknown size never looks better.
   */
  estimateMs(rows: number, promptRows = 0): number {
    const { most } = this.#answers
    const answersMs = rows === 0 || most === 0 ? 0 : this.#answers.at(coarse(rows)) * Math.max(1, rows / most)
    return answersMs + this.#promptMs(promptRows)
  }

  /** Returns the number of remembered measurements of steps with that many rows of answers. */
  measurements(rows: number): number {
    return this.#answers.count(coarse(rows))
  }

  /** Returns the steps without prompts since the last one of that many rows; infinite if there was none. */
  stepsSince(rows: number): number {
    return this.#answers.since(coarse(rows))
  }

  /** Returns the most prompt rows that fit into the time, up to `most`; `most` if nothing is known. */
  promptRowsWithin(ms: number, most: number): number {
    let fitting = 0
    let over = most + 1
    while (over - fitting > 1) {
      const middle = (fitting + over) >> 1
      if (this.#promptMs(middle) <= ms) fitting = middle
      else over = middle
    }
    return fitting
  }

  /**
   * Returns the duration of prompt rows at the cost per row of steps with as many or more; undefined without such
   * steps.
   */
  promptMsByLarger(rows: number): number | undefined {
    const rowMs = this.#promptRow.above(powerOfTwo(rows))
    return rowMs === undefined ? undefined : rows * rowMs
  }

  observe(rows: number, ms: number, promptRows = 0): void {
    if (promptRows === 0) {
      this.#answers.add(coarse(rows), ms)
      return
    }
    const alikeMs = (ms * promptRows) / (rows + promptRows)
    const promptMs = Math.max(ms - this.estimateMs(rows), leastPromptShare * alikeMs)
    this.#promptRow.add(powerOfTwo(promptRows), promptMs / promptRows)
    this.#promptRow.forgetDearer(powerOfTwo(promptRows))
  }

  /**
   * Returns the duration of prompt rows alone. A row beyond the measured ones costs less than the average, because the
   * fixed cost of a step, which a step of a single row shows, is already paid. Rows measured together with answers paid
   * none of it either, so the result may be too low until larger pieces are measured.
   */
  #promptMs(rows: number): number {
    const { most } = this.#promptRow
    const rowMs = this.#promptRow.at(rows)
    if (rows <= most || this.#answers.count(1) < trusted) return rows * rowMs
    const overheadMs = (this.#answers.at(1) - rowMs) / Math.max(1, most - 1)
    return most * rowMs + (rows - most) * Math.min(rowMs, Math.max(leastFurtherShare * rowMs, rowMs - overheadMs))
  }
}

/** Rounds to steps of an eighth or less. Small numbers stay exact. */
function coarse(rows: number): number {
  const step = Math.max(1, powerOfTwo(rows) / 16)
  return Math.round(rows / step) * step
}

/** Returns the largest power of two that is at most `rows`. */
function powerOfTwo(rows: number): number {
  return 2 ** Math.floor(Math.log2(rows))
}
