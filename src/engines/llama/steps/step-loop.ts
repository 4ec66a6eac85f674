/**
 * Runs the steps. One step is one batch over many requests, which come and go between steps. An answer at the end of
 * its grant takes part in no step until the next grant comes. Pictures are encoded between steps, since both use all
 * cores, and decoded beside them.
 */

import type { ReasonedLayout } from '../../../core/cache-layout.ts'
import type { ChatEvent } from '../../../core/chat.ts'
import type { StepCurve } from '../../../core/step-costs.ts'
import type { EngineStats } from '../../protocol/engine.ts'
import type { Grant, RequestEvent } from '../../protocol/request-events.ts'
import { StepClock } from '../../shared/step-clock.ts'
import type { CacheLayouts } from '../cache/cache-layouts.ts'
import type { NativeContext, NativeNextResult, NativeStepper, NativeStepResult } from '../native.ts'
import { CostCurves } from './cost-curves.ts'
import { type DraftLimits, Drafts } from './drafts/drafts.ts'
import { HeadDrafts } from './drafts/head-drafts.ts'
import type { GrantedRequest, LoopRequest } from './granted-request.ts'
import { OpenRequests } from './open-requests.ts'
import { Pictures, type PicturesOptions } from './pictures.ts'
import type { MoveWorth } from './processor.ts'
import { runAt } from './prompt-layout.ts'
import { scoringDebt, takingPart } from './scored-prompts.ts'
import type { Sequences } from './sequences.ts'
import type { Slot } from './slot.ts'
import { Slots } from './slots.ts'
import type { StepCosts } from './step-costs.ts'
import { allGoOn, type PlannedChunk, planBehind, type StepPlan, scoresAt } from './step-plan.ts'
import { noHistory, type StepLimits, StepPolicy, withoutProposals } from './step-policy.ts'

interface StepLoopOptions {
  /** Context. Without `nextStep` every step is planned here. */
  readonly context: Pick<NativeContext, 'step'> &
    Partial<Pick<NativeStepper, 'nextStep' | 'dropNextStep' | 'maxOutputs'>>
  readonly sequences: Sequences
  /** Layouts of the cache. Absent keeps the present one. */
  readonly cacheLayouts?: CacheLayouts | undefined
  readonly pictures: PicturesOptions
  readonly batchTokens: number
  /** Prompt tokens per step while nobody waits (`StepLimits`). */
  readonly pieceTokens?: number
  readonly tileRows: StepLimits['tileRows']
  readonly draftLimits: DraftLimits
  /** Receives the cost of prompts. Absent if not needed. */
  readonly moveWorth?: MoveWorth | undefined
  /** Costs that earlier loads of the model have measured. */
  readonly stepCurves?: readonly StepCurve[] | undefined
  /** CPU threads of a step, until `useThreads` says otherwise. */
  readonly threads: number
  readonly emit: (events: readonly RequestEvent<ChatEvent>[]) => void
  /** Called when the decoder itself failed: nothing can be trusted any more. */
  readonly onFatal: (error: unknown) => void
  readonly nowMs: () => number
  /** Clock of the steps. Defaults to one that keeps no log. */
  readonly clock?: StepClock
}

/** Entries of a step that can be read in every context. */
const leastOutputs = 32

export class StepLoop {
  readonly #options: StepLoopOptions
  #context: StepLoopOptions['context']
  readonly #costs: CostCurves
  readonly #clock: StepClock
  readonly #head: HeadDrafts | undefined
  readonly #policy: StepPolicy
  readonly #pictures: Pictures
  readonly #slots: Slots
  readonly #requests: OpenRequests
  #history = noHistory
  #isRunning = false
  /** The step that the addon computes; undefined between two steps. */
  #running: StepPlan | undefined
  #threads: number
  #totals = {
    steps: 0,
    decodedPromptTokens: 0,
    draftedTokens: 0,
    acceptedTokens: 0,
  }

  constructor(options: StepLoopOptions) {
    this.#options = options
    this.#context = options.context
    this.#threads = options.threads
    this.#costs = new CostCurves(options.stepCurves)
    this.#clock = options.clock ?? new StepClock({ nowMs: options.nowMs })
    const { draftLimits } = options
    if (draftLimits.headTokens !== undefined) this.#head = new HeadDrafts(draftLimits.headTokens)
    this.#pictures = new Pictures(options.pictures, {
      onHandling: (request, hashes) => this.#requests.tellHandling(request, hashes),
      onPrepared: () => this.#wake(),
      onFatal: options.onFatal,
    })
    this.#policy = new StepPolicy({
      batchTokens: options.batchTokens,
      pieceTokens: options.pieceTokens,
      tileRows: options.tileRows,
      isNonCausal: options.pictures.projector.isNonCausal,
      drafts: draftLimits.rows > 0 ? new Drafts(draftLimits, this.#head) : undefined,
      hasDraftHead: this.#head !== undefined,
    })
    this.#slots = new Slots(options.sequences, (request, answer) => {
      if (!request.hasBegun(answer)) request.unseen = this.#pictures.unknownOf(request, answer)
      this.#requests.begin(request, answer)
    })
    this.#requests = new OpenRequests({
      ...{ clock: this.#clock, emit: options.emit },
      onAnswerEnd: (answer) => {
        this.#slots.releaseAnswer(answer)
        options.cacheLayouts?.noteEnded(answer.units.length)
      },
      onForget: (request) => this.#slots.remove(request),
    })
  }

  /** Adds a request. Its answers continue until they have the granted tokens. */
  add(added: LoopRequest, grant: Grant): void {
    const request = this.#requests.add(added, grant)
    this.#slots.add(request)
    this.#followGrant(request)
  }

  /** Allows more tokens. An answer whose last grant is used up ends at once. Unknown ids are ignored. */
  grant(id: number, grant: Grant): void {
    const request = this.#requests.get(id)
    if (request === undefined) return
    request.allow(grant)
    this.#followGrant(request)
  }

  /**
   * Cancels a request before the next step. Its last event then tells the computed work, including the step in flight,
   * after the picture being decoded. Unknown ids are ignored.
   */
  cancel(id: number): void {
    const request = this.#requests.get(id)
    if (request === undefined) return
    this.#requests.cancel(request)
    this.#wake()
  }

  /** Changes the number of threads from the next step on. */
  useThreads(count: number): void {
    this.#threads = count
    this.#context.dropNextStep?.()
  }

  /** True if no step runs and none is due. */
  get isIdle(): boolean {
    return !this.#isRunning
  }

  stats(): EngineStats {
    const inSlots = this.#slots.taken.map(({ request }) => request).filter((request) => !request.isOver)
    const running = new Set(inSlots).size
    const waiting = this.#requests.size - running
    const { sequences, cacheLayouts } = this.#options
    const held = {
      encodedPictures: this.#pictures.encoded,
      cacheTokens: sequences.heldUnits,
      cacheLayout: cacheLayouts?.current,
    }
    return {
      ...this.#totals,
      ...this.#requests.totals,
      ...held,
      threads: this.#threads,
      running,
      waiting,
      stepTimes: this.#clock.times(),
      stepCurves: this.#costs.kept(),
    }
  }

  #followGrant(request: GrantedRequest): void {
    this.#requests.followGrant(request)
    this.#slots.resume(request)
    this.#wake()
  }

  #wake(): void {
    if (!this.#isRunning) void this.#run().catch(this.#options.onFatal)
    else if (this.#running !== undefined && !this.#isAllWork(this.#running)) this.#context.dropNextStep?.()
  }

  /** Returns whether nothing else has to be done before the answers of this plan continue. */
  #isAllWork(plan: StepPlan): boolean {
    const slots = this.#slots
    return !slots.hasTurn && !this.#requests.hasCancelled && this.#taking.length === plan.chunks.length
  }

  /** Slots that would take part in the next step of tokens. */
  get #taking(): readonly Slot[] {
    return takingPart(this.#slots.working, this.#history)
  }

  async #run(): Promise<void> {
    const { sequences, cacheLayouts, nowMs } = this.#options
    const slots = this.#slots
    const pictures = this.#pictures
    this.#isRunning = true
    while (true) {
      const layout = cacheLayouts?.next(() => this.#requests.streams(), this.#totals.steps)
      if (layout !== undefined) {
        this.#requests.tellAccepted()
        await this.#moveTo(layout)
      }
      const sinceMs = nowMs()
      this.#endCancelled()
      slots.admit()
      const { working } = slots
      // Undecodable pictures are the callers' errors.
      const failed = pictures.prepare(working)
      for (const { request, error } of failed) this.#requests.fail(request, error)
      if (failed.length > 0) continue
      const next = this.#policy.plan({ ...this.#state, sorted: pictures.sort(working) })
      // Nothing can be done until a picture has been decoded, which wakes this loop again.
      if (next === undefined) {
        if (!this.#requests.hasUntold) break
        // An answer that ends by its text makes room for one that waits.
        this.#requests.tellAccepted()
        continue
      }
      this.#history = next.history
      sequences.parkBeside()
      for (const { request } of working) this.#requests.start(request)
      if (next.kind === 'encoding') {
        this.#requests.tellAccepted()
        this.#requests.flush()
        await pictures.encode(next.slots, { working, isAwaited: next.isAwaited, threads: this.#threads })
        this.#clock.add('device', nowMs() - sinceMs)
      } else await this.#step(next.plan, sinceMs)
    }
    this.#isRunning = false
    this.#requests.flush()
  }

  /** Runs the step, and the following ones that need no plan. `sinceMs`: time at which planning began. */
  async #step(first: StepPlan, sinceMs: number): Promise<void> {
    const { nowMs } = this.#options
    const costs = this.#costsNow()
    const startedMs = nowMs()
    const batch = this.#head?.batchOf(first, this.#slots.working.length) ?? first.batch
    const threads = this.#threads
    let step: Promise<NativeNextResult> | undefined = this.#context.step(batch, threads)
    const begunMs = nowMs()
    const ahead = { plan: startedMs - sinceMs, build: begunMs - startedMs }
    let computedMs = 0
    let lastMs = begunMs
    for (let plan = first; step !== undefined; ) {
      this.#running = plan
      const taken = this.#slots.taken.length
      this.#tellBeside()
      const mayGoOn = threads === this.#threads
      const next: Promise<NativeNextResult> | undefined = mayGoOn ? this.#queueNext(plan) : undefined
      const result: NativeNextResult = await step
      const endedMs = nowMs()
      const isLast: boolean = next === undefined || !allGoOn(result)
      // The next step holds context and samplers until it settles, even if it does not begin.
      if (isLast) await next
      this.#running = undefined
      if (result.kind === 'skipped') return
      if (result.kind === 'cache-full') {
        // A step that the addon began by itself is planned next time, perhaps for another layout.
        if (plan === first) this.#endFull(plan, taken)
        return
      }
      const { times = { build: 0, submit: 0, device: endedMs - lastMs, copy: 0, sample: 0 } } = result
      const nativeMs = times.build + times.submit + times.device + times.copy + times.sample
      computedMs += nativeMs
      lastMs = endedMs
      const tookMs = plan === first ? endedMs - startedMs : nativeMs
      this.#observe(plan, tookMs, costs)
      this.#apply(plan, result)
      this.#head?.take(plan, result, tookMs)
      // The times of waking this thread and accepting tokens count only for the last step: those of the others overlap
      // with the steps.
      this.#clock.addAll({
        ...times,
        plan: plan === first ? ahead.plan : 0,
        build: plan === first ? ahead.build + times.build : times.build,
        wake: isLast ? Math.max(0, endedMs - begunMs - computedMs) : 0,
        accept: isLast ? nowMs() - endedMs : 0,
      })
      step = isLast ? undefined : next
      plan = planBehind(plan, result.samples)
    }
  }

  /** Reads and sends the sampled tokens while the decoder works, because both would delay the next step. */
  #tellBeside(): void {
    const sinceMs = this.#options.nowMs()
    this.#requests.tellAccepted()
    if (this.#requests.flush()) this.#clock.add('emit', this.#options.nowMs() - sinceMs)
  }

  /** Lets the addon continue behind the running step if nothing has to be planned. */
  #queueNext(plan: StepPlan): Promise<NativeNextResult> | undefined {
    const { cacheLayouts } = this.#options
    if (!this.#isAllWork(plan) || !this.#policy.goesOn(plan, this.#taking, this.#state)) return undefined
    if (cacheLayouts?.next(() => this.#requests.streams(), this.#totals.steps) !== undefined) return undefined
    return this.#context.nextStep?.()
  }

  /** Makes room for the batch of a step for which the cache was full. `taken`: slots taken when the step began. */
  #endFull(plan: StepPlan, taken: number): void {
    this.#endCancelled()
    if (draftedBy(plan) > 0) this.#history = withoutProposals(this.#history, this.#totals.steps)
    // A request that was cancelled during the step has made room.
    if (draftedBy(plan) > 0 || this.#slots.taken.length !== taken) return
    // An answer that is alone in a full cache has reached its end.
    const last = this.#slots.makeRoom()
    if (last === undefined) return
    this.#requests.deliver(last.request, last.answer, last.answer.endHere({ isContextFull: true }))
  }

  /** Frees the slots of ended requests, and sends the last events of cancelled ones. */
  #endCancelled(): void {
    this.#slots.releaseEnded()
    this.#requests.endCancelled((request) => this.#pictures.isDecoding(request))
  }

  #observe(plan: StepPlan, tookMs: number, costs: StepCosts): void {
    const { answerRows, promptRows, scoredRows } = plan
    this.#totals.steps++
    const plainMs = costs.estimateMs(answerRows, promptRows - scoredRows)
    const scoringDebtMs = scoringDebt(this.#history.scoringDebtMs, plan, { tookMs, plainMs })
    this.#history = { ...this.#history, scoringDebtMs }
    // Rows that are read cost more than other rows of prompts.
    if (scoredRows === 0) costs.observe(answerRows, tookMs, promptRows)
    if (answerRows === 0) this.#options.moveWorth?.noteComputed(plan.promptRows, tookMs)
    this.#totals.draftedTokens += draftedBy(plan)
  }

  /** Moves everything into another layout of the cache. */
  async #moveTo(layout: ReasonedLayout): Promise<void> {
    const { cacheLayouts: layouts, sequences } = this.#options
    if (layouts === undefined) return
    this.#endCancelled()
    this.#slots.vacateAll()
    sequences.parkIdle()
    await layouts.change(layout, this.#totals.steps)
    const { context, current } = layouts
    this.#context = context
    sequences.moveTo({ context, count: current.sequences, isUnified: current.isUnified })
  }

  /** State of the policy, without the slots. */
  get #state() {
    const { isUnified } = this.#options.sequences
    const { maxOutputs = leastOutputs } = this.#context
    return { isUnified, maxOutputs, costs: this.#costsNow(), steps: this.#totals.steps, history: this.#history }
  }

  #costsNow(): StepCosts {
    return this.#costs.of(this.#options.cacheLayouts?.current, this.#threads)
  }

  #apply(plan: StepPlan, { samples, scores }: Extract<NativeStepResult, { kind: 'ok' }>): void {
    const { sequences } = this.#options
    for (const { slot, units, drafts } of plan.chunks) {
      const { request, answer, sequence } = slot
      slot.lastStep = this.#totals.steps
      const run = runAt(answer.runs, answer.decoded)
      answer.decoded += units.length - drafts
      this.#totals.decodedPromptTokens += request.noteProcessed(answer)
      sequences.append(sequence, units)
      if (run !== undefined) this.#pictures.release(slot, run)
      if (answer.undecoded === 0) this.#slots.startFollowers(slot)
    }
    for (const chunk of plan.scored) this.#requests.score(chunk.slot, chunk.end, scoresAt(chunk, scores))
    for (const { request, answer } of this.#slots.taken) {
      if (answer.isPromptOnly && answer.undecoded === 0) this.#requests.deliver(request, answer, answer.endHere())
    }
    plan.readers.forEach((slot, index) => {
      const taken = samples[index]
      if (taken === undefined) throw new Error('a step returned too few samples: this is a bug')
      const [only, ...more] = taken
      // The text of each token says whether the next one counts.
      if (more.length > 0) for (const sample of taken) this.#requests.take(slot, sample)
      else if (only !== undefined) this.#requests.take(slot, only, { isToldLater: true })
    })
    for (const chunk of plan.chunks) if (chunk.drafts > 0) this.#takeBackDrafts(chunk)
  }

  /** Keeps accepted proposals in the sequence, and removes rejected ones. */
  #takeBackDrafts({ slot: { answer, sequence }, drafts }: PlannedChunk): void {
    const accepted = Math.max(0, answer.undecoded - 1)
    answer.decoded += accepted
    this.#totals.acceptedTokens += accepted
    if (accepted < drafts) answer.decoded = this.#options.sequences.takeBack(sequence, drafts - accepted)
  }
}

function draftedBy({ chunks }: StepPlan): number {
  return chunks.reduce((sum, { drafts }) => sum + drafts, 0)
}
