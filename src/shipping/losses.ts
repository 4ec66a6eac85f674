import { minuteMs } from '../core/durations.ts'
import type { ShippedRecord } from './shipped-record.ts'

const tellEveryMs = minuteMs

interface LossesOptions {
  readonly receiver: string
  readonly log: { warn(fields: object, message: string): void }
  /** Milliseconds UTC. */
  readonly clock: () => number
}

interface Untold {
  readonly reason: string
  readonly count: number
  /** First and last rows of the audit log between which all lost ones are. Undefined if none were lost. */
  readonly auditRows: readonly [first: number, last: number] | undefined
}

/** Records that a receiver will never get. The log tells the first ones at once, and later ones once a minute. */
export class Losses {
  readonly #options: LossesOptions
  #count = 0
  #untold: Untold | undefined
  #toldMs = Number.NEGATIVE_INFINITY

  constructor(options: LossesOptions) {
    this.#options = options
  }

  get count(): number {
    return this.#count
  }

  /** Adds the loss of `count` among these records. */
  add(count: number, records: readonly ShippedRecord[], reason: string): void {
    this.#count += count
    const ids = records.flatMap((record) => (record.kind === 'audit' ? [record.row.id] : []))
    const [first, last] = [this.#untold?.auditRows?.[0] ?? ids[0], ids.at(-1) ?? this.#untold?.auditRows?.[1]]
    const auditRows = first === undefined || last === undefined ? undefined : ([first, last] as const)
    this.#untold = { reason, count: (this.#untold?.count ?? 0) + count, auditRows }
    this.tell()
  }

  /** Logs what was lost since the last line, if that is a minute ago or `isLast`. */
  tell({ isLast = false } = {}): void {
    const { receiver, log, clock } = this.#options
    if (this.#untold === undefined || (!isLast && clock() - this.#toldMs < tellEveryMs)) return
    const { reason, count, auditRows } = this.#untold
    const kept = auditRows && { auditRows: auditRows.join('-'), keptBy: 'inferd audit export' }
    log.warn({ receiver, reason, count, ...kept }, 'records dropped')
    this.#untold = undefined
    this.#toldMs = clock()
  }
}
