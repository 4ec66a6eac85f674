/** Figures in memory: the last ten minutes by second, and the last day by minute. */

import { minuteMs, secondMs } from '../core/durations.ts'
import { type RingRows, TimeRing } from './time-ring.ts'

interface Column {
  readonly name: string
  readonly unit: string
}

const load: readonly Column[] = [
  { name: 'outputTokensPerSecond', unit: 'tokens/s' },
  { name: 'promptTokensPerSecond', unit: 'tokens/s' },
  { name: 'running', unit: 'requests' },
  { name: 'waiting', unit: 'requests' },
]

/** Columns for the whole server, for one engine, and for times to the first output. */
export const historyColumns = {
  rates: [...load, { name: 'errorsPerMinute', unit: 'errors/min' }],
  engine: load,
  latency: [
    { name: 'p50Ms', unit: 'ms' },
    { name: 'p95Ms', unit: 'ms' },
    { name: 'requests', unit: 'requests' },
  ],
} as const satisfies Readonly<Record<string, readonly Column[]>>
export type HistoryKind = keyof typeof historyColumns

export class Series {
  readonly #byWindow: { readonly '10m': TimeRing; readonly '24h': TimeRing }

  /** `stepMs` is the interval of samples. */
  constructor(kind: HistoryKind, stepMs: typeof secondMs | typeof minuteMs = secondMs) {
    const columns = historyColumns[kind].length
    this.#byWindow = {
      '10m': new TimeRing({ stepMs, steps: (10 * minuteMs) / stepMs, columns }),
      '24h': new TimeRing({ stepMs: minuteMs, steps: 24 * 60, columns }),
    }
  }

  add(atMs: number, values: readonly number[]): void {
    for (const ring of Object.values(this.#byWindow)) ring.add(atMs, values)
  }

  read(window: '10m' | '24h', nowMs: number): RingRows {
    return this.#byWindow[window].read(nowMs)
  }
}

/** Times to the first output, summarised by minute. */
export class Latencies {
  readonly #series = new Series('latency', minuteMs)
  #minute = 0
  #samples: number[] = []
  #count = 0

  add(atMs: number, firstOutputMs: number): void {
    this.#begin(atMs)
    // If a minute has too many samples, the latest suffice.
    this.#samples[this.#count % maximumSamples] = firstOutputMs
    this.#count++
  }

  read(window: '10m' | '24h', nowMs: number): RingRows {
    this.#begin(nowMs)
    const { rows, ...times } = this.#series.read(window, nowMs)
    const now = this.#row()
    return now === undefined ? { ...times, rows } : { ...times, rows: [...rows.slice(0, -1), now] }
  }

  /** Summarises the last minute when a new one begins. */
  #begin(atMs: number): void {
    const minute = Math.floor(atMs / minuteMs)
    if (minute === this.#minute) return
    const row = this.#row()
    if (row !== undefined) this.#series.add(this.#minute * minuteMs, row)
    this.#minute = minute
    this.#samples = []
    this.#count = 0
  }

  #row(): number[] | undefined {
    if (this.#count === 0) return undefined
    const sorted = this.#samples.toSorted((a, b) => a - b)
    return [quantile(sorted, 0.5), quantile(sorted, 0.95), this.#count]
  }
}

const maximumSamples = 1_000

/**
 * Returns the quantile of ascending values: the least value that at least this share of them does not exceed. 0 without
 * values.
 */
export function quantile(sorted: readonly number[], share: number): number {
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? 0
}
