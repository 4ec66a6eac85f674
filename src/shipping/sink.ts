import type { ShippedRecord } from './shipped-record.ts'

/** Receiver of records. */
export interface Sink {
  /** Name in the log, in metrics and of its position in the audit log. */
  readonly name: string
  /**
   * Returns the id of the last audit row that the receiver has, if it can tell; undefined otherwise. Asked once, before
   * the first records.
   */
  lastAuditId?(): Promise<number | undefined>
  /**
   * Resolves once the receiver has the records, as far as it says so, with the number of those that it refuses. Rejects if
   * it takes none.
   */
  send(records: readonly ShippedRecord[], signal: AbortSignal): Promise<number>
  /** Rejects with the reason if the receiver cannot be reached. */
  check(signal: AbortSignal): Promise<void>
  /** Frees what is open. */
  close?(): Promise<void>
}

/** Refusal by a receiver that answers. */
export class SinkRefusal extends Error {
  override name = 'SinkRefusal'
  /** True if the same records would be refused again. */
  readonly isFinal: boolean
  /** Time after which the receiver wants to be asked again. */
  readonly retryAfterMs: number | undefined

  constructor(message: string, { isFinal, retryAfterMs }: { isFinal: boolean; retryAfterMs?: number | undefined }) {
    super(message)
    this.isFinal = isFinal
    this.retryAfterMs = retryAfterMs
  }
}
