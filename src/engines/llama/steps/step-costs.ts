/** What a step takes by its rows, learned from the steps themselves. */

/**
 * Measurements that count: their median, of two the smaller one, so that one outlier decides nothing, not the slow first step
 * of a model either, and an old one is soon forgotten.
 */
const remembered = 5
/** What prompts take is known from so many steps on: the first one of a process, or one during which it was stopped, is slow. */
const trusted = 2
/** A prompt has at least this part of what it would have of a step's time if all rows cost the same. */
const leastPromptShare = 0.5
/** A row beyond those that were measured costs at least this part of a measured one. */
const leastFurtherShare = 0.5
/** Steps with prompts after which a size that seems dearer than a smaller one is measured again. */
const retrySteps = 64

/** Times by number of rows. */
class Times {
  readonly #byRows = new Map<number, number[]>()
  /** Fewer measurements count only where there are no others. */
  readonly #trusted: number

  /** Of all rows. */
  #steps = 0
  readonly #lastSteps = new Map<number, number>()

  constructor(trusted: number) {
    this.#trusted = trusted
  }

  add(rows: number, ms: number): void {
    this.#lastSteps.set(rows, ++this.#steps)
    const latest = [ms, ...(this.#byRows.get(rows) ?? [])].slice(0, remembered)
    this.#byRows.set(rows, latest)
  }

  /** Forgets larger numbers of rows that seem dearer and were not measured for long: everything may have been slower then. */
  forgetDearer(rows: number): void {
    for (const known of [...this.#byRows.keys()]) {
      if (known > rows && this.since(known) > retrySteps && this.#median(known) > this.#median(rows))
        this.#byRows.delete(known)
    }
  }

  /** How many measurements it has of exactly so many rows, up to those that count. */
  count(rows: number): number {
    return this.#byRows.get(rows)?.length ?? 0
  }

  /** Measurements since the last one of exactly so many rows; infinite where there was none. */
  since(rows: number): number {
    return this.#steps - (this.#lastSteps.get(rows) ?? Number.NEGATIVE_INFINITY)
  }

  /** Most rows of those that count. */
  get most(): number {
    return Math.max(0, ...this.#known)
  }

  /** Interpolated between the numbers of rows that were seen, and the nearest one's outside of them; 0: none was seen. */
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

  /** Of the fewest rows, so many or more, that count; undefined: none do. */
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
  readonly #answers = new Times(1)
  /** Of a row, by how many rows of prompts a step has. */
  readonly #promptRow = new Times(trusted)

  /**
   * Of a step with so many rows of answers, the proposed ones included, and so many of prompts. 0: nothing is known. Fewer rows than
   * were ever measured take as long as those, more of them take longer in proportion: what is not known gains nothing.
   */
  estimateMs(rows: number, promptRows = 0): number {
    const { most } = this.#answers
    const answersMs = rows === 0 || most === 0 ? 0 : this.#answers.at(coarse(rows)) * Math.max(1, rows / most)
    return answersMs + this.#promptMs(promptRows)
  }

  /** How often steps of so many rows of answers were measured, up to those that count. */
  measurements(rows: number): number {
    return this.#answers.count(coarse(rows))
  }

  /** Steps without prompts since the last one of so many rows; infinite where there was none. */
  stepsSince(rows: number): number {
    return this.#answers.since(coarse(rows))
  }

  /** Most rows of prompts that take no longer than that, of `most`; `most` where nothing is known. */
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

  /** What so many rows of prompts take if a row costs what it did in steps with as many or more; undefined: there was none. */
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
   * Of so many rows of prompts alone. A row beyond those that were measured costs less than they do: it pays no part of a step's fixed
   * cost, which a step of a single row shows. Rows that were measured beside answers, in the same batch, paid none either, so that this
   * may be too low there until larger pieces are measured.
   */
  #promptMs(rows: number): number {
    const { most } = this.#promptRow
    const rowMs = this.#promptRow.at(rows)
    if (rows <= most || this.#answers.count(1) < trusted) return rows * rowMs
    const overheadMs = (this.#answers.at(1) - rowMs) / Math.max(1, most - 1)
    return most * rowMs + (rows - most) * Math.min(rowMs, Math.max(leastFurtherShare * rowMs, rowMs - overheadMs))
  }
}

/** Exact while it matters, then in steps of an eighth or less. */
function coarse(rows: number): number {
  const step = Math.max(1, powerOfTwo(rows) / 16)
  return Math.round(rows / step) * step
}

/** The next smaller power of two, or the number itself. */
function powerOfTwo(rows: number): number {
  return 2 ** Math.floor(Math.log2(rows))
}
