import { phaseBoundsMs, type StepPhase, type StepTimes } from '../../core/step-times.ts'

interface Counted {
  count: number
  sumMs: number
  readonly buckets: number[]
}

interface StepClockOptions {
  readonly nowMs?: () => number
  /** Called with each measurement, for logs. */
  readonly onMeasured?: (phase: StepPhase, ms: number) => void
}

/** Measures the phases of an engine's steps. A measurement costs well under a microsecond. */
export class StepClock {
  readonly nowMs: () => number
  readonly #onMeasured: StepClockOptions['onMeasured']
  readonly #counted = new Map<StepPhase, Counted>()
  /** Start of each request's wait, by id. */
  readonly #waiting = new Map<number, number>()

  constructor({ nowMs = () => performance.now(), onMeasured }: StepClockOptions = {}) {
    this.nowMs = nowMs
    this.#onMeasured = onMeasured
  }

  add(phase: StepPhase, ms: number): void {
    const counted = this.#counted.getOrInsertComputed(phase, empty)
    counted.count++
    counted.sumMs += ms
    const at = phaseBoundsMs.findIndex((bound) => ms <= bound)
    const bucket = at < 0 ? phaseBoundsMs.length : at
    counted.buckets[bucket] = (counted.buckets[bucket] ?? 0) + 1
    this.#onMeasured?.(phase, ms)
  }

  /** Adds several phases of one step. */
  addAll(times: Readonly<Partial<Record<StepPhase, number>>>): void {
    for (const [phase, ms] of Object.entries(times)) this.add(phase as StepPhase, ms) // the keys of the type
  }

  /** Measures a function, even if it throws. */
  time<Result>(phase: StepPhase, work: () => Result): Result {
    const sinceMs = this.nowMs()
    try {
      return work()
    } finally {
      this.add(phase, this.nowMs() - sinceMs)
    }
  }

  /** Measures a promise, even if it rejects. */
  async timeAsync<Result>(phase: StepPhase, work: Promise<Result>): Promise<Result> {
    const sinceMs = this.nowMs()
    try {
      return await work
    } finally {
      this.add(phase, this.nowMs() - sinceMs)
    }
  }

  /** Records that a request begins to wait for its first step. */
  enqueue(id: number): void {
    this.#waiting.set(id, this.nowMs())
  }

  /** Records a step of the request. Only the first one ends its wait. */
  dequeue(id: number): void {
    const sinceMs = this.#waiting.get(id)
    if (sinceMs === undefined) return
    this.#waiting.delete(id)
    this.add('queue', this.nowMs() - sinceMs)
  }

  /** Forgets a request, whether it still waits or not. */
  forget(id: number): void {
    this.#waiting.delete(id)
  }

  times(): StepTimes {
    const copies = [...this.#counted].map(
      ([phase, { count, sumMs, buckets }]) => [phase, { count, sumMs, buckets: [...buckets] }] as const,
    )
    return Object.fromEntries(copies)
  }
}

function empty(): Counted {
  return { count: 0, sumMs: 0, buckets: phaseBoundsMs.map(() => 0).concat(0) }
}
