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

/**
 * Kinds of refusals. `for-now`: the same records may be taken later. `records`: some of them are never taken. `size`: they
 * are too large together.
 */
export type RefusalKind = 'for-now' | 'records' | 'size'

/** Refusal by a receiver that answers. */
export class SinkRefusal extends Error {
  override name = 'SinkRefusal'
  readonly kind: RefusalKind
  /** Time after which the receiver wants to be asked again. */
  readonly retryAfterMs: number | undefined

  constructor(message: string, { kind, retryAfterMs }: { kind: RefusalKind; retryAfterMs?: number | undefined }) {
    super(message)
    this.kind = kind
    this.retryAfterMs = retryAfterMs
  }
}
