/** Runs requests for speakers' turns: computes windows in batches, several requests side by side, then labels the turns. */

import { errorText } from '../../core/error-text.ts'
import { ApiError, errorData } from '../../core/errors.ts'
import type { DiarizeRequest } from '../../core/speech.ts'
import { nothingConsumed } from '../../core/usage.ts'
import type { WorkEvent } from '../../core/work.ts'
import type { EngineStats, RequestEvent } from '../protocol/protocol.ts'
import { StepClock } from '../shared/step-clock.ts'
import { FairTurns } from './fair-turns.ts'
import { type Heard, type Hearing, hearWindows, type Voice } from './hear-windows.ts'
import { labelTurns } from './label-turns.ts'
import type { Turnstile } from './turnstile.ts'
import { type WindowGrid, windowGrid } from './windows/window-grid.ts'

export interface DiarizationLoopOptions {
  readonly hearing: Hearing
  /** Clusters of voices that are farther apart are different speakers. */
  readonly threshold: number
  /** Limits the runs of the models that are computed side by side; each takes one thread. */
  readonly turnstile: Turnstile
  /** Windows that are computed in one run, at most. */
  readonly rowsTogether?: number
  readonly emit: (events: readonly RequestEvent<WorkEvent<'diarize'>>[]) => void
  /** A line for the operator. */
  readonly log: (line: string) => void
}

/** Windows of a batch, at least. Their energies are computed once; a batch that has begun is computed to its end. */
const batchWindowsMinimum = 16

/** Batches in progress: one is computed while the samples of the other are read and turned into energies. */
const batchesLimit = 2

interface OpenRequest {
  readonly id: number
  readonly accountId: string
  readonly request: DiarizeRequest
  readonly grid: WindowGrid
  readonly masks: Uint8Array
  /** Voices of each computed batch. */
  readonly voices: (readonly Voice[])[]
  begunBatches: number
  runningBatches: number
  isCancelled: boolean
}

export class DiarizationLoop {
  readonly #options: DiarizationLoopOptions
  readonly #lanes: number
  readonly #rowsTogether: number
  readonly #batchWindows: number
  readonly #open = new Map<number, OpenRequest>()
  readonly #turns = new FairTurns<OpenRequest>()
  readonly #clock = new StepClock()
  #runningBatches = 0
  #runningWindows = 0
  #batches = 0

  /** The turnstile's limit at the start is the number of sessions. */
  constructor(options: DiarizationLoopOptions) {
    this.#options = options
    this.#lanes = options.turnstile.limit
    this.#rowsTogether = options.rowsTogether ?? 1
    this.#batchWindows = Math.max(batchWindowsMinimum, this.#rowsTogether)
  }

  /** Takes a request; everything about it comes through `emit`. Never throws. */
  add(id: number, accountId: string, request: DiarizeRequest): void {
    const grid = windowGrid(this.#options.hearing.segmentation.shape, request.audio.sampleCount)
    const masks = new Uint8Array(grid.windowCount * grid.windowFrames)
    const progress = { voices: [], begunBatches: 0, runningBatches: 0, isCancelled: false }
    const open: OpenRequest = { id, accountId, request, grid, masks, ...progress }
    this.#open.set(id, open)
    this.#options.emit([{ id, event: { type: 'start', promptTokens: 0, cachedTokens: 0 } }])
    this.#turns.add(accountId, open)
    this.#clock.enqueue(id)
    this.#pump()
  }

  cancel(id: number): void {
    const open = this.#open.get(id)
    if (open !== undefined) this.#end(open, { id, cancelled: nothingConsumed })
  }

  /** Limits the runs that are computed side by side to one a thread. */
  useThreads(count: number): void {
    this.#options.turnstile.limit = Math.max(1, Math.min(this.#lanes, count))
  }

  stats(): EngineStats {
    const running = [...this.#open.values()].filter(({ begunBatches }) => begunBatches > 0).length
    return {
      steps: this.#batches,
      threads: this.#options.turnstile.limit,
      running,
      waiting: this.#open.size - running,
      decodedPromptTokens: 0,
      reusedPromptTokens: 0,
      generatedTokens: 0,
      stepTimes: this.#clock.times(),
    }
  }

  #pump(): void {
    // Short recordings fill a run together.
    while (this.#runningBatches < batchesLimit || this.#runningWindows < this.#rowsTogether) {
      const open = this.#turns.next()
      if (open === undefined) return
      this.#runningBatches++
      void this.#hear(open)
        .catch((error: unknown) => this.#fail(open, error))
        .finally(() => {
          this.#runningBatches--
          this.#pump()
        })
    }
  }

  async #hear(open: OpenRequest): Promise<void> {
    const { request, grid, masks, voices } = open
    const batch = open.begunBatches++
    const first = batch * this.#batchWindows
    const count = Math.min(this.#batchWindows, grid.windowCount - first)
    if (first + count === grid.windowCount) this.#turns.remove(open.accountId, open)
    this.#batches++
    this.#clock.dequeue(open.id)
    open.runningBatches++
    this.#runningWindows += count
    try {
      const hearing = hearWindows(this.#options.hearing, request.audio, grid, { first, count })
      const heard = await this.#clock.timeAsync('device', hearing)
      masks.set(heard.masks, first * grid.windowFrames)
      voices[batch] = heard.voices
    } finally {
      open.runningBatches--
      this.#runningWindows -= count
    }
    const isHeard = open.begunBatches * this.#batchWindows >= grid.windowCount && open.runningBatches === 0
    if (isHeard && !open.isCancelled) await this.#finish(open, { masks, voices: voices.flat() }, grid)
  }

  async #finish(open: OpenRequest, heard: Heard, grid: WindowGrid): Promise<void> {
    const { id, request } = open
    const turns = await this.#clock.timeAsync('accept', labelTurns(heard, grid, request, this.#options.threshold))
    if (!open.isCancelled)
      this.#end(open, { id, event: turns }, { id, event: { type: 'finish', usage: nothingConsumed } })
  }

  #fail(open: OpenRequest, thrown: unknown): void {
    if (open.isCancelled) return
    this.#options.log(`request failed: ${errorText(thrown)}`)
    const message = 'The speakers of this recording could not be told apart. Nothing was charged.'
    const error = errorData(new ApiError('engine', message, { code: 'engine_failed' }))
    this.#end(open, { id: open.id, error })
  }

  /** Sends the last events of a request; batches of it that run are forgotten. */
  #end(open: OpenRequest, ...last: readonly RequestEvent<WorkEvent<'diarize'>>[]): void {
    open.isCancelled = true
    this.#open.delete(open.id)
    this.#clock.forget(open.id)
    this.#turns.remove(open.accountId, open)
    this.#clock.time('emit', () => this.#options.emit(last))
  }
}
