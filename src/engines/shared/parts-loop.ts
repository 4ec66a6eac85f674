/**
 * Life of requests whose work is done in parts: texts of an embedding request, chunks of a recording, sentences of a
 * speech, windows of a diarization.
 *
 * 1. The engine opens a request, reports its consumption, and waits for the grant. Free work starts at once.
 * 2. Its parts wait in turns: accounts have equal shares, and so have the requests of one account.
 * 3. A batching policy takes the parts of each run. Started parts are computed and counted even if the client
 * disconnects.
 * 4. Results are accepted in the order of the parts. The last one ends the request.
 */
import { ApiError, errorData } from '../../core/errors.ts'
import type { EngineInfo } from '../../core/model-state.ts'
import { type FinishEvent, nothingConsumed, type StartEvent } from '../../core/usage.ts'
import type { WorkEvent } from '../../core/work.ts'
import type { Engine, EngineStats } from '../protocol/engine.ts'
import type { RequestEvent } from '../protocol/request-events.ts'
import { OpenParts } from './open-parts.ts'
import type { FoundParts, Job, PartsEngine } from './parts-job.ts'
import { StepClock } from './step-clock.ts'
import { type BegunPart, WaitingParts } from './waiting-parts.ts'

type PartsEvent<Output extends WorkEvent> = RequestEvent<StartEvent | Output | FinishEvent>

interface PartsLoopOptions<Output extends WorkEvent> {
  /** Most parallel runs. */
  readonly lanes: number
  /** CPU threads of each run. */
  readonly threadsPerLane: number
  readonly emit: (events: readonly PartsEvent<Output>[]) => void
  /** Clock that counts the phases of runs. */
  readonly clock?: StepClock
}

export class PartsLoop<Work, Part, Result, Output extends WorkEvent> {
  readonly #engine: PartsEngine<Work, Part, Result, Output>
  readonly #options: PartsLoopOptions<Output>
  readonly #clock: StepClock
  readonly #open = new Map<number, OpenParts<Part, Result, Output>>()
  readonly #waiting: WaitingParts<Part, OpenParts<Part, Result, Output>>
  /** Last events of requests, sent together once the next run has started. */
  #ends: PartsEvent<Output>[] = []
  #lanes: number
  #runs = 0
  #runningCost = 0
  #steps = 0

  constructor(engine: PartsEngine<Work, Part, Result, Output>, options: PartsLoopOptions<Output>) {
    this.#engine = engine
    this.#options = options
    this.#clock = options.clock ?? new StepClock()
    this.#lanes = options.lanes
    const { unacceptedLimit = Number.POSITIVE_INFINITY, isUnordered } = engine
    this.#waiting = new WaitingParts({
      costOf: engine.costOf,
      isUnordered,
      mayBegin: ({ isPaused, begun, accepted }) => !isPaused && begun.length - accepted < unacceptedLimit,
    })
  }

  /** Takes a request. All its events, including its end, come through `emit`. Never throws. */
  add(id: number, accountId: string, work: Work): void {
    const open = new OpenParts<Part, Result, Output>(id, accountId)
    this.#open.set(id, open)
    const isWanted = () => open.state !== 'ended'
    const send = (outputs: readonly Output[]) => this.#emit(outputs.map((event) => ({ id, event })))
    this.#when(
      open,
      () => this.#engine.open(work, { id, isWanted, send }),
      (job) => this.#prepare(open, job),
    )
    this.#go()
  }

  grant(id: number): void {
    const open = this.#open.get(id)
    if (open?.state === 'prepared') this.#begin(open)
    this.#go()
  }

  cancel(id: number): void {
    const open = this.#open.get(id)
    if (open === undefined || open.state === 'ended') return
    this.#stop(open)
    this.#endCancelled(open)
    this.#go()
  }

  /** Pauses or resumes a request. No part of a paused request starts. */
  pause(id: number, isPaused: boolean): void {
    const open = this.#open.get(id)
    if (open !== undefined) open.isPaused = isPaused
    this.#go()
  }

  /** Sets the number of parallel runs by the threads, at least one. */
  useThreads(count: number): void {
    const { lanes, threadsPerLane } = this.#options
    this.#lanes = Math.max(1, Math.min(lanes, Math.floor(count / threadsPerLane)))
    this.#engine.useLanes?.(this.#lanes)
    this.#go()
  }

  /** Returns the loop as an engine for one or more kinds of work. */
  serve(info: EngineInfo): Omit<Engine, 'run'> & { run(id: number, accountId: string, work: Work): void } {
    return {
      info,
      run: (id, accountId, work) => this.add(id, accountId, work),
      grant: (id) => this.grant(id),
      cancel: (id) => this.cancel(id),
      useThreads: (count) => this.useThreads(count),
      stats: () => this.stats(),
    }
  }

  stats(): EngineStats {
    // A paused request does not count, or the engine would seem to hang.
    const all = [...this.#open.values()].filter(({ isPaused, running }) => !isPaused || running > 0)
    const hasStarted = ({ state, begun }: (typeof all)[number]) =>
      begun.length > 0 || (state === 'granted' && this.#engine.startsWith === 'grant')
    const running = all.filter(hasStarted).length
    return {
      steps: this.#steps,
      threads: this.#lanes * this.#options.threadsPerLane,
      running,
      waiting: all.length - running,
      decodedPromptTokens: 0,
      reusedPromptTokens: 0,
      generatedTokens: 0,
      stepTimes: this.#clock.times(),
      ...this.#engine.stats?.(),
    }
  }

  #prepare(open: OpenParts<Part, Result, Output>, job: Job<Part, Result, Output>): void {
    open.job = job
    const { room } = this.#engine
    const { total } = job
    if (total === undefined) this.#begin(open)
    else {
      open.leftCost = room?.costOf(total) ?? 0
      if (room !== undefined && !this.#hasRoom(open, room.costLimit)) throw room.refusal()
      open.state = 'prepared'
      this.#options.emit([{ id: open.id, prepared: { least: total, most: total } }])
    }
  }

  #hasRoom({ accountId, leftCost }: OpenParts<Part, Result, Output>, limit: number): boolean {
    let [all, own] = [0, 0]
    for (const other of this.#open.values()) {
      if (other.state !== 'prepared' && other.state !== 'granted') continue
      all += other.leftCost
      if (other.accountId === accountId) own += other.leftCost
    }
    return own === 0 || (all + leftCost <= limit && own + leftCost <= limit / 2)
  }

  #begin(open: OpenParts<Part, Result, Output>): void {
    open.state = 'granted'
    this.#clock.enqueue(open.id)
    if (this.#engine.startsWith === 'grant') this.#options.emit([startOf(open)])
    this.#advance(open)
  }

  /** Accepts computed results, finds more parts, and ends the request after its last part. */
  #advance(open: OpenParts<Part, Result, Output>): void {
    const { job } = open
    while (job !== undefined && open.state === 'granted') {
      const next = open.computed.get(open.accepted)
      if (next === undefined) break
      open.computed.delete(open.accepted)
      open.isAccepting = true
      this.#when(
        open,
        () => job.accept(next.result, next.part),
        () => {
          open.isAccepting = false
          open.accepted++
        },
      )
    }
    if (job === undefined || open.state !== 'granted' || open.isAccepting) return
    this.#find(open, job)
    if (open.isComplete) this.#finish(open, job)
  }

  #find(open: OpenParts<Part, Result, Output>, job: Job<Part, Result, Output>): void {
    if (open.isFinding || open.hasAll || open.waiting.length > (this.#engine.partsAhead ?? 0)) return
    open.isFinding = true
    this.#when(
      open,
      () => {
        const found = job.partsOf()
        // Counts as a step: hours of silence have no parts, and the engine must not seem to hang.
        if (found instanceof Promise) this.#steps++
        return found
      },
      ({ parts, isLast }: FoundParts<Part>) => {
        open.isFinding = false
        open.hasAll = isLast
        this.#waiting.add(
          open,
          parts.map((part) => ({ part, index: open.found++ })),
        )
      },
    )
  }

  #finish(open: OpenParts<Part, Result, Output>, job: Job<Part, Result, Output>): void {
    const { id } = open
    this.#when(
      open,
      () => job.finish(),
      (outputs) => {
        this.#stop(open)
        const usage = job.total ?? nothingConsumed
        this.#end(open, ...outputs.map((event) => ({ id, event })), { id, event: { type: 'finish', usage } })
      },
    )
  }

  /** Continues with a value, immediately if it is not a promise. An error ends the request. */
  #when<Value>(
    open: OpenParts<Part, Result, Output>,
    make: () => Value | Promise<Value>,
    then: (value: Value) => void,
  ): void {
    const settle = (step: () => void) => {
      try {
        if (open.state !== 'ended') step()
      } catch (error) {
        this.#fail(open, error)
      }
    }
    settle(() => {
      const made = make()
      if (!(made instanceof Promise)) return then(made)
      const goOn = (step: () => void) => {
        settle(step)
        this.#advance(open)
        this.#go()
      }
      made.then(
        (value) => goOn(() => then(value)),
        (error: unknown) => goOn(() => this.#fail(open, error)),
      )
    })
  }

  /**
   * Starts all possible runs, then sends the last events of requests together, since each message is as costly for the
   * server as its content.
   */
  #go(): void {
    for (;;) {
      const now = { runs: this.#runs, lanes: this.#lanes, runningCost: this.#runningCost }
      const run = this.#waiting.take(this.#engine.batching, now)
      if (run.length === 0) break
      void this.#compute(run)
    }
    const ends = this.#ends
    this.#ends = []
    this.#emit(ends)
  }

  async #compute(run: readonly BegunPart<Part, OpenParts<Part, Result, Output>>[]): Promise<void> {
    const cost = run.reduce((sum, { part }) => sum + this.#engine.costOf(part), 0)
    this.#runs++
    this.#steps++
    this.#runningCost += cost
    this.#beginParts(run)
    const results = await this.#engine.compute(run.map(({ part }) => part))
    this.#runs--
    this.#runningCost -= cost
    const failures = new Map<OpenParts<Part, Result, Output>, unknown>()
    for (const [at, { request: open, part, index }] of run.entries()) {
      const result = results[at]
      open.running--
      if (result?.status === 'fulfilled') open.computed.set(index, { part, result: result.value })
      else failures.set(open, result?.reason)
    }
    for (const open of new Set(run.map(({ request }) => request))) {
      if (open.state === 'ended') this.#endCancelled(open)
      else if (failures.has(open)) this.#fail(open, failures.get(open))
      else this.#advance(open)
    }
    this.#go()
  }

  #beginParts(run: readonly BegunPart<Part, OpenParts<Part, Result, Output>>[]): void {
    const starts: PartsEvent<Output>[] = []
    for (const { request: open, part } of run) {
      this.#clock.dequeue(open.id)
      if (open.begun.length === 0 && this.#engine.startsWith === 'part') starts.push(startOf(open))
      open.begun.push(part)
      open.running++
      open.leftCost -= this.#engine.costOf(part)
      if (open.job !== undefined) this.#find(open, open.job)
    }
    if (starts.length > 0) this.#options.emit(starts)
  }

  #fail(open: OpenParts<Part, Result, Output>, thrown: unknown): void {
    if (open.state === 'ended') return
    this.#stop(open)
    const error = errorData(thrown instanceof ApiError ? thrown : this.#engine.toError(thrown))
    this.#end(open, { id: open.id, error })
  }

  /** Stops a request: starts no more of its parts. */
  #stop(open: OpenParts<Part, Result, Output>): void {
    open.state = 'ended'
    this.#waiting.remove(open)
    open.job?.close?.()
  }

  /** Ends a cancelled request once none of its parts is being computed. Ends free work at once. */
  #endCancelled(open: OpenParts<Part, Result, Output>): void {
    const { id, job, running, begun } = open
    if (running === 0 || open.isFree) this.#end(open, { id, cancelled: job?.consumed(begun) ?? nothingConsumed })
  }

  /** Forgets a request and sends its last events, unless it is already forgotten. */
  #end(open: OpenParts<Part, Result, Output>, ...last: readonly PartsEvent<Output>[]): void {
    this.#clock.forget(open.id)
    if (this.#open.delete(open.id)) this.#ends.push(...last)
  }

  #emit(events: readonly PartsEvent<Output>[]): void {
    if (events.length > 0) this.#clock.time('emit', () => this.#options.emit(events))
  }
}

function startOf<Part, Result, Output>({ id, job }: OpenParts<Part, Result, Output>) {
  const promptTokens = job?.total?.promptTokens ?? 0
  return { id, event: { type: 'start', promptTokens, cachedTokens: 0 } } as const
}
