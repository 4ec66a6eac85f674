import { minuteMs, secondMs } from '../core/durations.ts'
import { errorText } from '../core/error-text.ts'
import { within } from '../core/within.ts'
import type { AuditRow } from '../db/audit-log.ts'
import type { GroupCommit } from '../db/group-commit.ts'
import type { ReadPositions } from '../db/read-positions.ts'
import { Losses } from './losses.ts'
import { sendInPieces } from './send-in-pieces.ts'
import type { ShippedRecord } from './shipped-record.ts'
import { type Sink, SinkRefusal } from './sink.ts'

/** Records of requests and events that wait for a receiver. Later ones are dropped. */
const maximumWaiting = 10_000
const batchRecords = 500
const everyMs = secondMs
/** Shortest and longest pause after a failure. */
const pauses = { firstMs: secondMs, longestMs: minuteMs }
/** Time for the last records when the server stops, and time to close the receiver. */
const drainMs = 2 * secondMs
/** Time in which a receiver must answer a check. */
const checkMs = 10 * secondMs
/** Time after which the operator learns that a receiver hangs. */
const lateMs = 15 * secondMs
const maximumReason = 300

interface ShipperOptions {
  readonly sink: Sink
  /** Log of changes, of which every row is sent in order. Undefined sends none. */
  readonly audit: { after(id: number, limit: number): readonly AuditRow[]; lastId(): number } | undefined
  readonly positions: ReadPositions
  readonly commits: GroupCommit
  readonly log: Record<'info' | 'warn', (fields: object, message: string) => void>
  /** Milliseconds UTC. */
  readonly clock: () => number
}

export interface ShipperState {
  readonly name: string
  readonly waiting: number
  readonly sent: number
  readonly dropped: number
  /** Failure of the last try. Undefined if it succeeded. */
  readonly failure: { readonly sinceMs: number; readonly reason: string } | undefined
}

/**
 * Sends records to one receiver: rows of the audit log from the database, which wait there however long the receiver is
 * away, and records of requests from a bounded queue in memory. Nothing else waits for it. Never throws.
 */
export class Shipper {
  readonly #options: ShipperOptions
  readonly #stopping = new AbortController()
  readonly #queue: ShippedRecord[] = []
  /** Id of the last row of the audit log that was sent, or that was there at the first start. */
  #auditId = 0
  #knowsAuditId = false
  readonly #losses: Losses
  #sent = 0
  /** Refusal of the latest records for good. Undefined once others were taken. */
  #refusal: SinkRefusal | undefined
  #failure: ShipperState['failure']
  #pauseMs = 0
  #timer: ReturnType<typeof setTimeout> | undefined
  #running: Promise<void> | undefined

  constructor(options: ShipperOptions) {
    this.#options = options
    this.#losses = new Losses({ ...options, receiver: options.sink.name })
  }

  /** Begins to send. The first start begins with the next row of the audit log: earlier ones are exported by hand. */
  start(): void {
    const { audit, positions, sink } = this.#options
    this.#auditId = positions.of(sink.name) ?? audit?.lastId() ?? 0
    this.#wakeAfter(0)
  }

  /** Queues a record, or drops it if too many wait. */
  put(record: ShippedRecord): void {
    if (this.#queue.length < maximumWaiting) this.#queue.push(record)
    else this.#losses.add(1, [record], 'too many records wait: later ones are dropped')
  }

  /** Returns the reason why the receiver cannot be reached; undefined if it can. */
  async problem(): Promise<string | undefined> {
    try {
      await within(this.#options.sink.check(this.#stopping.signal), checkMs, () => {
        throw new Error(`no answer within ${checkMs / 1000} s`)
      })
      return undefined
    } catch (error) {
      return errorText(error).slice(0, maximumReason)
    }
  }

  state(): ShipperState {
    const { name } = this.#options.sink
    const [waiting, sent, dropped, failure] = [this.#queue.length, this.#sent, this.#losses.count, this.#failure]
    return { name, waiting, sent, dropped, failure }
  }

  /** Sends what waits, for a short time, and ends. */
  async stop(): Promise<void> {
    clearTimeout(this.#timer)
    const last = (async () => {
      await this.#running
      if (this.#failure === undefined) await this.#run()
    })()
    await within(last, drainMs, () => undefined)
    this.#losses.tell({ isLast: true })
    this.#stopping.abort(new Error('the server stopped'))
    const closed = this.#options.sink.close?.().catch(() => undefined) // nothing can be done about it now
    if (closed !== undefined) await within(closed, drainMs, () => undefined)
  }

  #wakeAfter(ms: number): void {
    this.#timer = setTimeout(() => {
      this.#running = this.#run().finally(() => {
        this.#running = undefined
        if (!this.#stopping.signal.aborted) this.#wakeAfter(Math.max(everyMs, this.#pauseMs))
      })
    }, ms)
    this.#timer.unref()
  }

  async #run(): Promise<void> {
    const sent = this.#sent
    try {
      await this.#sendAudit()
      while (this.#queue.length > 0) {
        await this.#send(this.#queue.slice(0, batchRecords), ({ length }) => void this.#queue.splice(0, length))
      }
      if (this.#sent > sent) this.#refusal = undefined
      if (this.#refusal === undefined) this.#onSuccess()
      else this.#onFailure(this.#refusal)
    } catch (error) {
      this.#onFailure(error)
    }
    this.#losses.tell()
  }

  async #sendAudit(): Promise<void> {
    const { audit, sink } = this.#options
    if (audit === undefined) return
    if (!this.#knowsAuditId) {
      const written = (await sink.lastAuditId?.()) ?? 0
      // A restored backup may have fewer rows than the receiver.
      await this.#keepPosition(Math.min(Math.max(this.#auditId, written), audit.lastId()))
      this.#knowsAuditId = true
    }
    const next = () => audit.after(this.#auditId, batchRecords).map((row) => ({ kind: 'audit', row }) as const)
    for (let batch = next(); batch.length > 0; batch = next()) {
      await this.#send(batch, (piece) => this.#keepPosition(piece.at(-1)?.row.id ?? this.#auditId))
    }
  }

  /** Not durable: after a power cut, rows are sent again rather than lost. */
  async #keepPosition(id: number): Promise<void> {
    const { sink, positions, commits } = this.#options
    this.#auditId = id
    await commits.run(() => positions.set(sink.name, id), { isDurable: false })
  }

  /** Sends records. Those that would be refused again are dropped, so that they hold up no others. */
  #send<Sent extends ShippedRecord>(
    batch: readonly Sent[],
    done: (piece: readonly Sent[]) => Promise<void> | void,
  ): Promise<void> {
    return sendInPieces(batch, {
      send: async (piece) => this.#count(piece, await this.#taken(piece)),
      refused: (piece, refusal) => {
        this.#refusal = refusal
        this.#losses.add(piece.length, piece, refusal.message)
      },
      done,
    })
  }

  /** Waits for the receiver, however long: a disk that hangs may have written the records all the same. */
  async #taken(records: readonly ShippedRecord[]): Promise<number> {
    const sending = this.#options.sink.send(records, this.#stopping.signal)
    await within(sending, lateMs, () => this.#onFailure(new Error(`takes nothing for ${lateMs / 1000} s`)))
    return sending
  }

  #count(records: readonly ShippedRecord[], refused: number): void {
    this.#sent += records.length - refused
    if (refused === 0) return
    const refusal = new SinkRefusal('the receiver refuses some', { kind: 'records' })
    if (refused === records.length) this.#refusal = refusal
    this.#losses.add(refused, records, refusal.message)
  }

  #onSuccess(): void {
    const { sink, log } = this.#options
    if (this.#failure !== undefined) log.info({ receiver: sink.name }, 'records are taken again')
    this.#failure = undefined
    this.#pauseMs = 0
  }

  #onFailure(error: unknown): void {
    const { sink, log, clock } = this.#options
    const reason = errorText(error).slice(0, maximumReason)
    if (this.#failure === undefined) log.warn({ receiver: sink.name, reason }, 'records not taken')
    this.#failure = { sinceMs: this.#failure?.sinceMs ?? clock(), reason }
    const asked = error instanceof SinkRefusal ? (error.retryAfterMs ?? 0) : 0
    const next = Math.max(this.#pauseMs * 2, pauses.firstMs)
    this.#pauseMs = Math.min(Math.max(next, asked), pauses.longestMs)
  }
}
