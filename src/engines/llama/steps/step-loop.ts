/**
 * Runs the steps. One step is one batch over many requests. Requests come and go between steps. An answer at the end of its
 * grant takes part in no step until the next grant comes. Pictures are encoded between steps, as both use all cores, and
 * decoded beside them.
 */

import type { ReasonedLayout } from '../../../core/cache-layout.ts'
import type { ChatEvent } from '../../../core/chat.ts'
import type { ErrorData } from '../../../core/errors.ts'
import type { StepCurve } from '../../../core/step-costs.ts'
import type { EngineStats, Grant, RequestEvent } from '../../protocol/protocol.ts'
import { StepClock } from '../../shared/step-clock.ts'
import type { Answer } from '../answer/answer.ts'
import type { CacheLayouts, StreamLength } from '../cache/cache-layouts.ts'
import type { NativeContext, NativeNextResult, NativeSample, NativeStepper } from '../native.ts'
import { CostCurves } from './cost-curves.ts'
import { type DraftLimits, Drafts } from './drafts/drafts.ts'
import { HeadDrafts } from './drafts/head-drafts.ts'
import { GrantedRequest, type LoopRequest } from './granted-request.ts'
import { type FailedPicture, Pictures, type PicturesOptions } from './pictures.ts'
import type { MoveWorth } from './processor.ts'
import { runAt } from './prompt-layout.ts'
import type { Sequences } from './sequences.ts'
import type { Slot } from './slot.ts'
import { Slots } from './slots.ts'
import type { StepCosts } from './step-costs.ts'
import { allGoOn, type PlannedChunk, planBehind, type StepPlan } from './step-plan.ts'
import { noHistory, type StepLimits, StepPolicy, withoutProposals } from './step-policy.ts'

export interface StepLoopOptions {
  /** Without `nextStep` every step is planned here. */
  readonly context: Pick<NativeContext, 'step'> & Partial<Pick<NativeStepper, 'nextStep' | 'dropNextStep'>>
  readonly sequences: Sequences
  /** Absent keeps the cache's layout. */
  readonly cacheLayouts?: CacheLayouts | undefined
  readonly pictures: PicturesOptions
  readonly batchTokens: number
  /** Prompt tokens of a step while nobody waits (`StepLimits`). */
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
  /** The decoder itself failed: nothing can be trusted any more. */
  readonly onFatal: (error: unknown) => void
  readonly nowMs: () => number
  /** Absent uses one that keeps no log. */
  readonly clock?: StepClock
}

interface Untold {
  readonly request: GrantedRequest
  readonly answer: Answer
  readonly sample: NativeSample
}

export class StepLoop {
  readonly #options: StepLoopOptions
  #context: StepLoopOptions['context']
  readonly #costs: CostCurves
  readonly #clock: StepClock
  readonly #head: HeadDrafts | undefined
  readonly #policy: StepPolicy
  readonly #pictures: Pictures
  readonly #slots: Slots
  #history = noHistory
  readonly #requests = new Map<number, GrantedRequest>()
  /** Cancelled requests whose usage has not been sent yet. */
  #cancelled: GrantedRequest[] = []
  #isRunning = false
  /** The step that the addon computes; undefined between two. */
  #running: StepPlan | undefined
  #threads: number
  #outbox: RequestEvent<ChatEvent>[] = []
  /** Accepted tokens whose text is read while the next step runs. */
  #untold: Untold[] = []
  #totals = {
    steps: 0,
    decodedPromptTokens: 0,
    reusedPromptTokens: 0,
    generatedTokens: 0,
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
      onHandling: (request, hashes) => this.#tellHandling(request, hashes),
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
    this.#slots = new Slots(options.sequences, (request, answer) => this.#place(request, answer))
  }

  /** Adds a request. Its answers continue until they have the granted tokens. */
  add(added: LoopRequest, grant: Grant): void {
    const request = new GrantedRequest(added, grant)
    this.#clock.enqueue(added.id)
    this.#requests.set(added.id, request)
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
   * Takes effect before the next step; then the request's last event says what was computed, the step in flight
   * included. A picture of it that is being decoded is waited for. Unknown ids are ignored.
   */
  cancel(id: number): void {
    const request = this.#requests.get(id)
    if (request === undefined) return
    this.#forget(request)
    this.#cancelled.push(request)
    this.#wake()
  }

  /** Takes effect with the next step. */
  useThreads(count: number): void {
    this.#threads = count
    this.#context.dropNextStep?.()
  }

  /** No step runs, and none is due. */
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
      ...held,
      threads: this.#threads,
      running,
      waiting,
      stepTimes: this.#clock.times(),
      stepCurves: this.#costs.kept(),
    }
  }

  #followGrant(request: GrantedRequest): void {
    for (const answer of request.unfinished) this.#checkGrant(request, answer)
    this.#slots.resume(request)
    this.#wake()
  }

  /** Ends an answer that will get no other token, or asks for the grant that it will soon need. */
  #checkGrant(request: GrantedRequest, answer: Answer): void {
    if (request.isSpent(answer)) {
      this.#begin(request, answer)
      this.#deliver(request, answer, answer.endHere())
    } else if (request.asksFor(answer)) this.#outbox.push({ id: request.prepared.id, wantsGrant: true })
  }

  #wake(): void {
    if (!this.#isRunning) void this.#run().catch(this.#options.onFatal)
    else if (this.#running !== undefined && !this.#isAllWork(this.#running)) this.#context.dropNextStep?.()
  }

  /** Returns whether nothing has to be done before the answers of this plan continue. */
  #isAllWork(plan: StepPlan): boolean {
    const slots = this.#slots
    return !slots.hasWaiting && this.#cancelled.length === 0 && slots.working.length === plan.chunks.length
  }

  async #run(): Promise<void> {
    const { sequences, cacheLayouts, nowMs } = this.#options
    const slots = this.#slots
    const pictures = this.#pictures
    this.#isRunning = true
    while (true) {
      const layout = cacheLayouts?.next(() => this.#streams(), this.#totals.steps)
      if (layout !== undefined) {
        this.#tellAccepted()
        await this.#moveTo(layout)
      }
      const sinceMs = nowMs()
      this.#endCancelled()
      slots.admit()
      const { working } = slots
      if (this.#endUndecodable(pictures.prepare(working))) continue
      const next = this.#policy.plan({ ...this.#state, sorted: pictures.sort(working) })
      // Nothing can be done before a picture has been decoded, which wakes this loop again.
      if (next === undefined) {
        if (this.#untold.length === 0) break
        // An answer that its text ends makes room for one that waits.
        this.#tellAccepted()
        continue
      }
      this.#history = next.history
      sequences.parkBeside()
      for (const { request } of working) this.#start(request)
      if (next.kind === 'encoding') {
        this.#tellAccepted()
        this.#flush()
        await pictures.encode(next.slots, { working, isAwaited: next.isAwaited, threads: this.#threads })
        this.#clock.add('device', nowMs() - sinceMs)
      } else await this.#step(next.plan, sinceMs)
    }
    this.#isRunning = false
    this.#flush()
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
      // Until it settles it holds context and samplers, even if it does not begin.
      if (isLast) await next
      this.#running = undefined
      if (result.kind === 'skipped') return
      if (result.kind === 'cache-full') {
        // A step without a plan is planned next time, perhaps for another layout.
        if (plan === first) this.#endFull(plan, taken)
        return
      }
      const { times = { build: 0, submit: 0, device: endedMs - lastMs, copy: 0, sample: 0 } } = result
      const nativeMs = times.build + times.submit + times.device + times.copy + times.sample
      computedMs += nativeMs
      lastMs = endedMs
      const tookMs = plan === first ? endedMs - startedMs : nativeMs
      this.#observe(plan, tookMs, costs)
      this.#apply(plan, result.samples)
      this.#head?.take(plan, result, tookMs)
      // Waking this thread and accepting tokens take time of the last step only: the others run beside it.
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

  /** Reads and sends the sampled tokens while the decoder works: both take this thread's time. */
  #tellBeside(): void {
    const sinceMs = this.#options.nowMs()
    this.#tellAccepted()
    if (this.#flush()) this.#clock.add('emit', this.#options.nowMs() - sinceMs)
  }

  /** Lets the addon go on behind the running step where there is nothing to plan. */
  #queueNext(plan: StepPlan): Promise<NativeNextResult> | undefined {
    const { cacheLayouts } = this.#options
    if (!this.#isAllWork(plan) || !this.#policy.goesOn(plan, this.#slots.working, this.#state)) return undefined
    if (cacheLayouts?.next(() => this.#streams(), this.#totals.steps) !== undefined) return undefined
    return this.#context.nextStep?.()
  }

  /** Makes room for the batch of a step for which the cache was full. `taken`: slots taken when the step began. */
  #endFull(plan: StepPlan, taken: number): void {
    this.#endCancelled()
    if (draftedBy(plan) > 0) this.#history = withoutProposals(this.#history, this.#totals.steps)
    // A request that was cancelled during the step has made room.
    else if (this.#slots.taken.length === taken) this.#makeRoom()
  }

  #observe(plan: StepPlan, tookMs: number, costs: StepCosts): void {
    this.#totals.steps++
    costs.observe(plan.answerRows, tookMs, plan.promptRows)
    if (plan.answerRows === 0) this.#options.moveWorth?.noteComputed(plan.promptRows, tookMs)
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

  #streams(): StreamLength[] {
    return [...this.#requests.values()].flatMap(({ unfinished, prepared }) =>
      [...unfinished].map(({ prompt, units }) => ({
        promptTokens: prompt.units.length,
        tokens: units.length,
        answerTokens: prepared.outputTokens,
      })),
    )
  }

  /** State of the policy, without the slots. */
  get #state() {
    const { isUnified } = this.#options.sequences
    return { isUnified, costs: this.#costsNow(), steps: this.#totals.steps, history: this.#history }
  }

  #costsNow(): StepCosts {
    return this.#costs.of(this.#options.cacheLayouts?.current, this.#threads)
  }

  #endCancelled(): void {
    this.#slots.releaseEnded()
    const isDecoding = (request: GrantedRequest) => this.#pictures.isDecoding(request)
    for (const request of this.#cancelled) {
      if (!isDecoding(request)) this.#outbox.push({ id: request.prepared.id, cancelled: request.usage() })
    }
    this.#cancelled = this.#cancelled.filter(isDecoding)
  }

  /** Makes room in the cache. An answer that is alone in a full cache has reached its end. */
  #makeRoom(): void {
    const last = this.#slots.makeRoom()
    if (last !== undefined) this.#deliver(last.request, last.answer, last.answer.endHere({ isContextFull: true }))
  }

  /** Places an answer in a slot. Answers can be placed more than once; the cached part is reported the first time. */
  #place(request: GrantedRequest, answer: Answer): void {
    if (request.hasBegun(answer)) return
    request.unseen = this.#pictures.unknownOf(request, answer)
    this.#begin(request, answer)
  }

  #begin(request: GrantedRequest, answer: Answer): void {
    if (request.hasBegun(answer)) return
    this.#clock.dequeue(request.prepared.id)
    request.begin(answer)
    this.#totals.reusedPromptTokens += answer.decoded
    this.#start(request)
  }

  /** Sends the first event, once, and when it is known that no picture is refused: until then the client can get a status for it. */
  #start(request: GrantedRequest): void {
    const { cachedTokens, hasStarted, unseen, prepared } = request
    if (cachedTokens === undefined || hasStarted || unseen.size > 0) return
    request.hasStarted = true
    this.#post(request, { type: 'start', promptTokens: prepared.promptTokens, cachedTokens })
  }

  #apply(plan: StepPlan, samples: readonly (readonly NativeSample[])[]): void {
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
    plan.readers.forEach((slot, index) => {
      const taken = samples[index]
      if (taken === undefined) throw new Error('a step returned too few samples: this is a bug')
      const [only, ...more] = taken
      // The text of each token says whether the next one counts.
      if (more.length > 0) for (const sample of taken) this.#take(slot, sample)
      else if (only !== undefined) this.#take(slot, only, { isToldLater: true })
    })
    for (const chunk of plan.chunks) if (chunk.drafts > 0) this.#takeBackDrafts(chunk)
  }

  /** Takes a sample. The sampler does not know every end of an answer: its choices after the end are ignored. */
  #take({ request, answer }: Slot, sample: NativeSample, { isToldLater = false } = {}): void {
    if (request.isOver || !request.unfinished.has(answer)) return
    if (sample.error !== undefined) {
      this.#endWithoutToken(request, answer, sample.error)
      return
    }
    this.#totals.generatedTokens++
    const untold = { request, answer, sample }
    if (answer.accept(sample) && isToldLater) this.#untold.push(untold)
    else this.#tell(untold)
  }

  /** Reads the text of accepted tokens. Where it ends an answer, the running step's sample for that answer is not used. */
  #tellAccepted(): void {
    const untold = this.#untold
    this.#untold = []
    for (const each of untold) this.#tell(each)
  }

  #tell({ request, answer, sample }: Untold): void {
    if (request.isOver || !request.unfinished.has(answer)) return
    this.#deliver(request, answer, answer.tell(sample))
    if (request.unfinished.has(answer)) this.#checkGrant(request, answer)
  }

  /** Leaves the proposals that the answer has taken, but for its last token, in the sequence. */
  #takeBackDrafts({ slot: { answer, sequence }, drafts }: PlannedChunk): void {
    const accepted = Math.max(0, answer.undecoded - 1)
    answer.decoded += accepted
    this.#totals.acceptedTokens += accepted
    if (accepted < drafts) answer.decoded = this.#options.sequences.takeBack(sequence, drafts - accepted)
  }

  #deliver(request: GrantedRequest, answer: Answer, events: readonly ChatEvent[]): void {
    request.unseen.clear()
    this.#start(request)
    for (const event of events) this.#post(request, event)
    if (events.at(-1)?.type !== 'choice-finish') return
    this.#slots.releaseAnswer(answer)
    this.#options.cacheLayouts?.noteEnded(answer.units.length)
    request.unfinished.delete(answer)
    if (request.unfinished.size > 0) return
    this.#requests.delete(request.prepared.id)
    this.#post(request, request.finish())
  }

  /**
   * Ends an answer for which no token can be sampled. If the request's own constraints ended it, it is charged like any
   * other: otherwise a contradiction late in a schema would be text for nothing.
   */
  #endWithoutToken(request: GrantedRequest, answer: Answer, reason: string): void {
    if (request.prepared.isConstrained && answer.generatedTokens > 0) this.#deliver(request, answer, answer.endHere())
    else {
      this.#outbox.push({ id: request.prepared.id, error: noTokenError(request.prepared, reason) })
      this.#forget(request)
    }
  }

  /** Reports pictures at once, since a file can crash this process. */
  #tellHandling({ isOver, unfinished, prepared }: GrantedRequest, hashes: readonly string[]): void {
    if (isOver || unfinished.size === 0) return
    this.#outbox.push({ id: prepared.id, encoding: hashes })
    this.#flush()
  }

  /**
   * Ends requests with undecodable pictures, which are the caller's errors and not charged. Returns whether there were
   * any.
   */
  #endUndecodable(failed: readonly FailedPicture[]): boolean {
    for (const { request, error } of failed.filter((failure) => !failure.request.isOver)) {
      this.#outbox.push({ id: request.prepared.id, error })
      this.#forget(request)
    }
    return failed.length > 0
  }

  /** Forgets a request: it is no longer computed or sent. Its slots are freed before the next step. */
  #forget(request: GrantedRequest): void {
    request.isOver = true
    this.#requests.delete(request.prepared.id)
    this.#clock.forget(request.prepared.id)
    this.#slots.remove(request)
  }

  #post(request: GrantedRequest, event: ChatEvent): void {
    if (!request.isOver) this.#outbox.push({ id: request.prepared.id, event })
  }

  /** Returns whether there was anything to send. */
  #flush(): boolean {
    if (this.#outbox.length === 0) return false
    const events = this.#outbox
    this.#outbox = []
    this.#options.emit(events)
    return true
  }
}

function draftedBy({ chunks }: StepPlan): number {
  return chunks.reduce((sum, { drafts }) => sum + drafts, 0)
}

/** Returns the error if no token is possible: the constraints allow none, or the model is broken. */
function noTokenError({ isConstrained }: LoopRequest, reason: string): ErrorData {
  if (!isConstrained) {
    const message = 'The model computes no usable numbers: its file is damaged.'
    return { kind: 'engine', code: 'engine_failed', message }
  }
  const message = `No token satisfies this request's constraints (${reason}). Loosen logit_bias or the format.`
  return { kind: 'invalid_request', code: 'invalid_value', message }
}
