export interface RingRows {
  readonly stepMs: number
  /** Start of the first row, milliseconds UTC. */
  readonly fromMs: number
  /** A value per column. Null marks times without data. */
  readonly rows: readonly (readonly number[] | null)[]
}

/** Means of figures in equal time steps, for the latest `steps` steps. Takes a fixed amount of memory. */
export class TimeRing {
  readonly #stepMs: number
  readonly #steps: number
  readonly #columns: number
  /** Step number of each slot. `#samples` and `#sums` hold the count and the sums of the step's samples. */
  readonly #numbers: Float64Array
  readonly #samples: Uint32Array
  readonly #sums: Float32Array
  #first: number | undefined
  #last = -1

  constructor({ stepMs, steps, columns }: { stepMs: number; steps: number; columns: number }) {
    this.#stepMs = stepMs
    this.#steps = steps
    this.#columns = columns
    this.#numbers = new Float64Array(steps).fill(-1)
    this.#samples = new Uint32Array(steps)
    this.#sums = new Float32Array(steps * columns)
  }

  /**
   * Adds a value per column. A time before the latest one, as after a small correction of the clock, counts as the
   * latest. A time before all kept steps starts anew, since those came from a wrong clock.
   */
  add(atMs: number, values: readonly number[]): void {
    const step = Math.floor(atMs / this.#stepMs)
    if (step <= this.#last - this.#steps) this.#forget()
    const number = Math.max(this.#last, step)
    const slot = number % this.#steps
    const start = slot * this.#columns
    if (this.#numbers[slot] !== number) {
      this.#numbers[slot] = number
      this.#samples[slot] = 0
      this.#sums.fill(0, start, start + this.#columns)
    }
    this.#samples[slot] = (this.#samples[slot] ?? 0) + 1
    for (let column = 0; column < this.#columns; column++) {
      this.#sums[start + column] = (this.#sums[start + column] ?? 0) + (values[column] ?? 0)
    }
    this.#first ??= number
    this.#last = number
  }

  #forget(): void {
    this.#numbers.fill(-1)
    this.#first = undefined
    this.#last = -1
  }

  /** Returns the rows from the oldest known step to the one of `nowMs`. */
  read(nowMs: number): RingRows {
    const last = Math.max(this.#last, Math.floor(nowMs / this.#stepMs))
    const first = Math.max(this.#first ?? last, last - this.#steps + 1)
    const rows = Array.from({ length: last - first + 1 }, (_, index) => this.#row(first + index))
    return { stepMs: this.#stepMs, fromMs: first * this.#stepMs, rows }
  }

  #row(number: number): readonly number[] | null {
    const slot = number % this.#steps
    const samples = this.#samples[slot] ?? 0
    if (this.#numbers[slot] !== number || samples === 0) return null
    const start = slot * this.#columns
    return [...this.#sums.subarray(start, start + this.#columns)].map((sum) => Math.fround(sum / samples))
  }
}
