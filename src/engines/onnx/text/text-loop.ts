/**
 * The life of requests for vectors and scores: tokenized when they come, paid for, then computed in batches with the texts
 * of others. Rows that were begun are computed and counted also when the client disconnects.
 */
import { ApiError, errorData } from '../../../core/errors.ts'
import type { Scores, Vectors } from '../../../core/texts.ts'
import { type Consumption, nothingConsumed } from '../../../core/usage.ts'
import type { Work, WorkEvent } from '../../../core/work.ts'
import type { EngineStats } from '../../protocol/engine.ts'
import type { RequestEvent } from '../../protocol/request-events.ts'
import { StepClock } from '../../shared/step-clock.ts'
import { notComputed, tooManyWait } from './errors.ts'
import type { Row } from './waiting-rows.ts'
import { type BatchLimits, type WaitingRow, WaitingRows } from './waiting-rows.ts'

/** Work on texts. */
export type TextWork = Work<'embed' | 'rerank'>
export type TextEvent = WorkEvent<TextWork['kind']>

/** A model as the loop sees it. */
export interface RowModel {
  /** Rows of a request. Throws ApiError for unreadable rows, and any error once they are no longer wanted. */
  toRows(work: TextWork, isWanted: () => boolean): Promise<readonly Row[]>
  /** Computes a batch and gives the result of each row. Rejects with a reason for the operator. */
  compute(rows: readonly Row[]): Promise<readonly Float32Array[]>
  /** The answer, from the results of all rows. Throws ApiError. */
  toResult(work: TextWork, computed: readonly Float32Array[]): Vectors | Scores
}

export interface TextLoopOptions {
  readonly model: RowModel
  readonly limits: BatchLimits
  /** Batches that are computed side by side. */
  readonly lanes: number
  /** Batches queued for busy lanes. Defaults to none. */
  readonly ahead?: number
  /** CPU threads of each. */
  readonly threadsPerLane: number
  readonly emit: (events: readonly RequestEvent<TextEvent>[]) => void
  /** A line for the operator. */
  readonly log: (line: string) => void
  /** Counts the phases of batches. */
  readonly clock?: StepClock
}

interface OpenTexts {
  readonly id: number
  readonly accountId: string
  readonly work: TextWork
  rows: readonly Row[]
  promptTokens: number
  state: 'preparing' | 'prepared' | 'granted' | 'cancelled'
  readonly computed: Float32Array[]
  /** Rows that are in no batch yet. */
  rowsLeft: number
  /** Rows in batches that are being computed. */
  rowsRunning: number
  computedTokens: number
}

/** Tokens of all texts that wait: 4 bytes each, and hours of work on a CPU. */
const waitingTokensLimit = 32 * 1024 * 1024

/** Share of a full batch that must wait before a batch is given ahead. */
const aheadShare = 0.25

type LastEvent = RequestEvent<TextEvent>

export class TextLoop {
  readonly #options: TextLoopOptions
  readonly #clock: StepClock
  readonly #open = new Map<number, OpenTexts>()
  readonly #waiting = new WaitingRows<OpenTexts>()
  /** Formed while the one before is computed. */
  #next: WaitingRow<OpenTexts>[] = []
  /** Batches that are being computed. */
  #running = 0
  /** Batches that may be. */
  #lanes: number
  #batches = 0
  #computedTokens = 0

  constructor(options: TextLoopOptions) {
    this.#options = options
    this.#clock = options.clock ?? new StepClock()
    this.#lanes = options.lanes
  }

  /** Takes a request; everything about it comes through `emit`. Never throws. */
  add(id: number, accountId: string, work: TextWork): void {
    const open: OpenTexts = {
      id,
      accountId,
      work,
      rows: [],
      promptTokens: 0,
      state: 'preparing',
      computed: [],
      rowsLeft: 0,
      rowsRunning: 0,
      computedTokens: 0,
    }
    this.#open.set(id, open)
    void this.#prepare(open)
  }

  grant(id: number): void {
    const open = this.#open.get(id)
    if (open?.state !== 'prepared') return
    open.state = 'granted'
    this.#clock.enqueue(id)
    this.#waiting.add(open.accountId, open, open.rows)
    this.#pump()
  }

  cancel(id: number): void {
    const open = this.#open.get(id)
    if (open === undefined || open.state === 'cancelled') return
    open.state = 'cancelled'
    this.#waiting.remove(open)
    if (open.rowsRunning === 0) this.#emit(this.#end(open, { id, cancelled: consumed(open.computedTokens) }))
  }

  /** Computes at most the batches side by side that `count` threads serve, and at least one with all the threads of its lane. */
  useThreads(count: number): void {
    const { lanes, threadsPerLane } = this.#options
    this.#lanes = Math.max(1, Math.min(lanes, Math.floor(count / threadsPerLane)))
    this.#pump()
  }

  stats(): EngineStats {
    const all = [...this.#open.values()]
    const running = all.filter(({ computedTokens }) => computedTokens > 0).length
    return {
      steps: this.#batches,
      threads: this.#lanes * this.#options.threadsPerLane,
      running,
      waiting: all.length - running,
      decodedPromptTokens: this.#computedTokens,
      reusedPromptTokens: 0,
      generatedTokens: 0,
      stepTimes: this.#clock.times(),
    }
  }

  async #prepare(open: OpenTexts): Promise<void> {
    const { id, work } = open
    try {
      open.rows = await this.#options.model.toRows(work, () => open.state === 'preparing')
    } catch (error) {
      return this.#emit(this.#fail(open, error))
    }
    if (open.state === 'cancelled') return
    open.promptTokens = tokensOf(open.rows)
    if (!this.#hasRoom(open)) return this.#emit(this.#fail(open, tooManyWait()))
    open.rowsLeft = open.rows.length
    open.state = 'prepared'
    const all = consumed(open.promptTokens)
    this.#options.emit([{ id, prepared: { least: all, most: all } }])
  }

  /**
   * Returns whether the queue has room. One account may fill half of it. An account with nothing in it is always
   * admitted.
   */
  #hasRoom({ accountId, promptTokens }: OpenTexts): boolean {
    let allTokens = promptTokens
    let ownTokens = 0
    for (const other of this.#open.values()) {
      if (other.state !== 'prepared' && other.state !== 'granted') continue
      const tokens = other.promptTokens - other.computedTokens
      allTokens += tokens
      if (other.accountId === accountId) ownTokens += tokens
    }
    return ownTokens === 0 || (allTokens <= waitingTokensLimit && ownTokens + promptTokens <= waitingTokensLimit / 2)
  }

  /** Begins batches while a lane is free. */
  #pump(): void {
    while (this.#running < this.#allowedBatches) {
      const formed = this.#next.filter(({ request }) => request.state === 'granted')
      this.#next = []
      const batch =
        formed.length > 0 ? formed : this.#clock.time('plan', () => this.#waiting.take(this.#options.limits))
      if (batch.length === 0) return
      this.#running++
      void this.#compute(batch)
    }
    // Only a full one: requests that come meanwhile may join one that is not.
    const isNextFull = this.#waiting.tokens >= this.#options.limits.tokens
    if (this.#next.length === 0 && isNextFull) this.#next = this.#waiting.take(this.#options.limits)
  }

  /** Texts that come meanwhile make a batch fuller, so that little is not given ahead. */
  get #allowedBatches(): number {
    const { limits, ahead = 0 } = this.#options
    return this.#waiting.tokens >= limits.tokens * aheadShare ? this.#lanes + ahead : this.#lanes
  }

  async #compute(batch: readonly WaitingRow<OpenTexts>[]): Promise<void> {
    this.#begin(batch)
    const computed = await computeEach(
      this.#options.model,
      batch.map(({ row }) => row),
    )
    const failures = new Map<OpenTexts, Error>()
    for (const [position, { request, index }] of batch.entries()) {
      const outcome = computed[position]
      request.rowsRunning--
      if (outcome instanceof Error) failures.set(request, outcome)
      else if (outcome !== undefined) request.computed[index] = outcome
    }
    const requests = [...new Set(batch.map(({ request }) => request))]
    const ends = requests.flatMap((open) => this.#endsOf(open, failures.get(open)))
    this.#running--
    this.#pump()
    // The next batch is computed meanwhile. All in one message: a message costs the server as much as its content.
    this.#emit(ends)
  }

  /** Returns the last events of a request that is complete, failed or cancelled, once none of its rows is running. */
  #endsOf(open: OpenTexts, failure: Error | undefined): readonly LastEvent[] {
    const isIdle = open.rowsRunning === 0
    if (open.state === 'cancelled')
      return isIdle ? this.#end(open, { id: open.id, cancelled: consumed(open.computedTokens) }) : []
    if (failure !== undefined) return this.#fail(open, failure)
    return open.rowsLeft === 0 && isIdle ? this.#finish(open) : []
  }

  #begin(batch: readonly WaitingRow<OpenTexts>[]): void {
    this.#batches++
    const events: RequestEvent<TextEvent>[] = []
    for (const { request: open, row } of batch) {
      this.#clock.dequeue(open.id)
      if (open.computedTokens === 0) {
        const { id, promptTokens } = open
        events.push({ id, event: { type: 'start', promptTokens, cachedTokens: 0 } })
      }
      open.rowsLeft--
      open.rowsRunning++
      open.computedTokens += row.ids.length
      this.#computedTokens += row.ids.length
    }
    if (events.length > 0) this.#options.emit(events)
  }

  #finish(open: OpenTexts): readonly LastEvent[] {
    const { id, work, computed, computedTokens } = open
    try {
      const result = this.#clock.time('accept', () => this.#options.model.toResult(work, computed))
      return this.#end(open, { id, event: result }, { id, event: { type: 'finish', usage: consumed(computedTokens) } })
    } catch (error) {
      return this.#fail(open, error)
    }
  }

  #fail(open: OpenTexts, thrown: unknown): readonly LastEvent[] {
    if (!this.#open.has(open.id)) return []
    this.#waiting.remove(open)
    if (!(thrown instanceof ApiError)) this.#options.log(`request failed: ${String(thrown)}`)
    const error = errorData(thrown instanceof ApiError ? thrown : notComputed())
    return this.#end(open, { id: open.id, error })
  }

  /** Forgets a request and returns its last events; none if it is forgotten already. */
  #end(open: OpenTexts, ...last: readonly LastEvent[]): readonly LastEvent[] {
    if (!this.#open.delete(open.id)) return []
    open.state = 'cancelled'
    this.#clock.forget(open.id)
    return last
  }

  #emit(events: readonly LastEvent[]): void {
    if (events.length > 0) this.#clock.time('emit', () => this.#options.emit(events))
  }
}

/**
 * Returns the result of each row. A failing batch is retried in halves: it may be too large, or one row may be at
 * fault.
 */
async function computeEach(model: RowModel, rows: readonly Row[]): Promise<readonly (Float32Array | Error)[]> {
  try {
    return await model.compute(rows)
  } catch (error) {
    if (rows.length === 1) return [error instanceof Error ? error : new Error(String(error))]
    const middle = Math.ceil(rows.length / 2)
    const first = await computeEach(model, rows.slice(0, middle))
    return [...first, ...(await computeEach(model, rows.slice(middle)))]
  }
}

function tokensOf(rows: readonly Row[]): number {
  return rows.reduce((sum, { ids }) => sum + ids.length, 0)
}

function consumed(promptTokens: number): Consumption {
  return { ...nothingConsumed, promptTokens }
}
