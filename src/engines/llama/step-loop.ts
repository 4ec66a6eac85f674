/**
 * Decides what each step decodes. One step is one batch: a token for every answer that is being generated, then pieces
 * of the prompts that are being processed. Requests come and go between steps. An answer at the end of its grant is in no
 * step until the next grant comes.
 */
import type { ChatEvent } from '../../core/chat.ts'
import type { EngineStats, Grant, RequestEvent, WireError } from '../protocol.ts'
import type { Answer } from './answer.ts'
import { FairQueue } from './fair-queue.ts'
import { GrantedRequest, type LoopRequest } from './granted-request.ts'
import type { NativeContext, NativeSample } from './native.ts'
import { PrefillPace } from './prefill-pace.ts'
import type { Sequences } from './sequences.ts'
import { shareBudget } from './share-budget.ts'
import { nextSlotMove, type SlotHolder } from './slot-sharing.ts'
import { type Active, type StepPlan, toStepPlan } from './step-plan.ts'

/** An answer that waits for a sequence. */
interface Waiting {
  readonly request: GrantedRequest
  readonly answer: Answer
}

export interface StepLoopOptions {
  readonly context: Pick<NativeContext, 'step'>
  readonly sequences: Sequences
  readonly batchTokens: number
  readonly emit: (events: readonly RequestEvent<ChatEvent>[]) => void
  /** The decoder itself failed: nothing can be trusted any more. */
  readonly onFatal: (error: unknown) => void
  readonly nowMs: () => number
}

export class StepLoop {
  readonly #options: StepLoopOptions
  readonly #pace: PrefillPace
  readonly #waiting = new FairQueue<Waiting>()
  readonly #requests = new Map<number, GrantedRequest>()
  /** Cancelled, and not told yet what was computed. */
  #leaving: GrantedRequest[] = []
  #active: Active[] = []
  #isRunning = false
  /** The cache overflowed: nobody new comes in before somebody has left. */
  #isFull = false
  #outbox: RequestEvent<ChatEvent>[] = []
  #totals = { steps: 0, decodedPromptTokens: 0, reusedPromptTokens: 0, generatedTokens: 0 }

  constructor(options: StepLoopOptions) {
    this.#options = options
    this.#pace = new PrefillPace(options.batchTokens)
  }

  /** Its answers go on until they have the granted tokens. */
  add(added: LoopRequest, grant: Grant): void {
    const request = new GrantedRequest(added, grant)
    const { id, accountId, answers } = request
    this.#requests.set(id, request)
    for (const answer of answers) {
      if (request.mayGoOn(answer)) this.#waiting.push(accountId, { request, answer })
      else request.asleep.add(answer)
    }
    this.#followGrant(request)
  }

  /** Allows more tokens. An answer whose last grant is behind it ends at once. Unknown ids are ignored. */
  grant(id: number, grant: Grant): void {
    const request = this.#requests.get(id)
    if (request === undefined) return
    request.allow(grant)
    this.#followGrant(request)
  }

  /**
   * Takes effect before the next step; then the request's last event says what was computed, the step in flight
   * included. Unknown ids are ignored.
   */
  cancel(id: number): void {
    const request = this.#requests.get(id)
    if (request === undefined) return
    this.#forget(request)
    this.#leaving.push(request)
    this.#wake()
  }

  stats(): EngineStats {
    const running = new Set(this.#active.map(({ request }) => request).filter((request) => !request.isOver)).size
    return { ...this.#totals, running, waiting: this.#requests.size - running }
  }

  #followGrant(request: GrantedRequest): void {
    for (const answer of request.unfinished) {
      if (request.isSpent(answer)) this.#endUnpaid(request, answer)
      else this.#askForMore(request, answer)
    }
    for (const answer of [...request.asleep].reverse()) {
      if (!request.mayGoOn(answer)) continue
      request.asleep.delete(answer)
      this.#waiting.unshift(request.accountId, { request, answer })
    }
    this.#wake()
  }

  #wake(): void {
    if (!this.#isRunning) void this.#run().catch(this.#options.onFatal)
  }

  async #run(): Promise<void> {
    this.#isRunning = true
    while (true) {
      this.#dropOver()
      this.#admit()
      if (!this.#active.some(isWorking)) break
      this.#options.sequences.parkIdle()
      const plan = this.#plan()
      const holders = this.#active.length
      const startedMs = this.#options.nowMs()
      const step = this.#options.context.step(plan.batch)
      // While the decoder works: sending takes a thread's time too.
      this.#flush()
      const result = await step
      if (result.kind === 'cache-full') {
        this.#dropOver()
        // Whoever left during the step leaves room.
        if (this.#active.length === holders) this.#makeRoom()
        continue
      }
      this.#totals.steps++
      this.#pace.observe(plan.batch.tokens.length, this.#options.nowMs() - startedMs)
      this.#apply(plan, result.samples)
    }
    this.#isRunning = false
    this.#flush()
  }

  /** Frees what requests hold that have failed or were cancelled. */
  #dropOver(): void {
    for (const active of this.#active.filter(({ request }) => request.isOver)) this.#release(active)
    for (const request of this.#leaving) this.#outbox.push({ id: request.id, cancelled: request.usage() })
    this.#leaving = []
  }

  /** Gives sequences to those whose turn it is, and takes them from accounts that hold more than their share. */
  #admit(): void {
    while (this.#waiting.size > 0) {
      const hasRoom = !this.#isFull && this.#options.sequences.idle > 0
      const holders = this.#active.map(toHolder)
      const move = nextSlotMove({ hasRoom, holders, waiting: this.#waiting.accounts() })
      if (move?.kind === 'place') this.#placeNext(move.accountId)
      else if (move?.kind === 'park') this.#giveWay(move.holder.active)
      else if (!this.#putOffPaused()) return
    }
  }

  /** An answer that waits for a grant keeps its sequence while others work, but not from those who could. */
  #putOffPaused(): boolean {
    const paused = this.#active.findLast((active) => !active.isFollower)
    if (paused === undefined || this.#active.some(isWorking)) return false
    this.#putOff(paused)
    return true
  }

  #placeNext(waitingAccountId: string): void {
    const { sequences } = this.#options
    const waiting = this.#waiting.shift(waitingAccountId)
    if (waiting === undefined) throw new Error('an account without waiting answers has its turn: this is a bug')
    const { request, answer } = waiting
    const { accountId } = request
    const common = { request, answer, followers: [], generatedBefore: answer.generatedTokens }
    const leader = answer.generatedTokens === 0 ? this.#active.find(leads(request)) : undefined
    if (leader !== undefined) {
      const follower = { ...common, sequence: sequences.acquireEmpty(accountId), isFollower: true }
      leader.followers = [...leader.followers, follower]
      this.#active.push(follower)
      return
    }
    const { sequence, reused } = sequences.acquire(answer.tokens, accountId)
    answer.decoded = reused
    this.#active.push({ ...common, sequence, isFollower: false })
    this.#begin(request, reused)
  }

  /** Not again when it comes back after having been put off. */
  #begin(request: GrantedRequest, cachedTokens: number): void {
    if (request.cachedTokens !== undefined) return
    request.cachedTokens = cachedTokens
    this.#totals.reusedPromptTokens += request.noteProcessed(cachedTokens)
    this.#post(request, { type: 'start', promptTokens: request.promptTokens, cachedTokens })
  }

  #plan(): StepPlan {
    const working = this.#active.filter(isWorking)
    const generating = working.filter(({ answer }) => answer.isGenerating)
    const processing = working.filter(({ answer }) => !answer.isGenerating)
    const demands = processing.map(({ request, answer }) => ({
      accountId: request.accountId,
      tokens: answer.undecoded,
    }))
    const limit = Math.max(0, this.#options.batchTokens - generating.length)
    const tokens = this.#pace.budget(generating.length, processing.length)
    const shares = shareBudget(demands, { tokens, limit, turn: this.#totals.steps })
    const counted = [
      ...generating.map((active) => ({ active, count: 1 })),
      ...processing.map((active, index) => ({ active, count: shares[index] ?? 0 })),
    ]
    const chunks = counted
      .filter(({ count }) => count > 0)
      .map(({ active, count }) => {
        const { tokens, decoded } = active.answer
        return { active, tokens: tokens.slice(decoded, decoded + count) }
      })
    return toStepPlan(chunks)
  }

  #apply(plan: StepPlan, samples: readonly NativeSample[]): void {
    for (const { active, tokens } of plan.chunks) {
      const { request, answer, sequence } = active
      answer.decoded += tokens.length
      this.#totals.decodedPromptTokens += request.noteProcessed(answer.decoded)
      this.#options.sequences.append(sequence, tokens)
      if (answer.undecoded === 0) this.#startFollowers(active)
    }
    plan.readers.forEach(({ request, answer }, index) => {
      const sample = samples[index]
      if (sample === undefined) throw new Error('a step returned too few samples: this is a bug')
      if (request.isOver) return
      if (sample.error === undefined) this.#take(request, answer, sample)
      else this.#endWithoutToken(request, answer, sample.error)
    })
  }

  #take(request: GrantedRequest, answer: Answer, sample: NativeSample): void {
    this.#totals.generatedTokens++
    this.#deliver(request, answer, answer.take(sample))
    if (!request.unfinished.has(answer)) return
    if (request.isSpent(answer)) this.#endUnpaid(request, answer)
    else this.#askForMore(request, answer)
  }

  #askForMore(request: GrantedRequest, answer: Answer): void {
    if (request.asksFor(answer)) this.#outbox.push({ id: request.id, wantsGrant: true })
  }

  #endUnpaid(request: GrantedRequest, answer: Answer): void {
    this.#begin(request, 0)
    this.#deliver(request, answer, answer.endHere())
  }

  #startFollowers(leader: Active): void {
    for (const follower of leader.followers) {
      this.#options.sequences.copy(leader.sequence, follower.sequence)
      follower.answer.decoded = leader.answer.decoded
      follower.isFollower = false
    }
    leader.followers = []
  }

  #deliver(request: GrantedRequest, answer: Answer, events: readonly ChatEvent[]): void {
    for (const event of events) this.#post(request, event)
    if (events.at(-1)?.type !== 'choice-finish') return
    const active = this.#active.find((candidate) => candidate.answer === answer)
    if (active !== undefined) this.#release(active)
    request.noteFinished(answer)
    if (request.unfinished.size > 0) return
    this.#requests.delete(request.id)
    this.#post(request, { type: 'finish', usage: request.usage() })
  }

  /**
   * Sampling has no token left to choose from. What the caller's own constraints have brought to an end is an answer like
   * others, and paid for: else a contradiction late in a schema would be text for nothing.
   */
  #endWithoutToken(request: GrantedRequest, answer: Answer, reason: string): void {
    if (request.isConstrained && answer.generatedTokens > 0) this.#deliver(request, answer, answer.endHere())
    else this.#refuse(request, reason)
  }

  /** Constraints that allow no token at all, or a model that is broken. */
  #refuse(request: GrantedRequest, reason: string): void {
    const error: WireError = request.isConstrained
      ? {
          kind: 'invalid_request',
          code: 'invalid_value',
          message: `No token satisfies this request's constraints (${reason}). Loosen logit_bias or the format.`,
        }
      : { kind: 'engine', code: 'engine_failed', message: 'The model computes no usable numbers: its file is damaged.' }
    this.#outbox.push({ id: request.id, error })
    this.#forget(request)
  }

  /** Nothing of it is computed or told any more. What it holds is freed before the next step. */
  #forget(request: GrantedRequest): void {
    request.isOver = true
    this.#requests.delete(request.id)
    this.#waiting.remove((waiting) => waiting.request === request)
  }

  #release(active: Active): void {
    this.#options.sequences.release(active.sequence)
    this.#active = this.#active.filter((other) => other !== active)
    this.#isFull = false
  }

  /**
   * The cache has no room for the next batch. Somebody who waits for a grant is put off, else the answer that came last:
   * it gives its cells back, and goes on when somebody has left. An answer alone in the cache has reached its end.
   */
  #makeRoom(): void {
    const holders = this.#active.filter((active) => !active.isFollower)
    const last = holders.findLast((active) => !isWorking(active)) ?? holders.at(-1)
    if (last === undefined) throw new Error('the cache is full of nothing: this is a bug')
    if (holders.length === 1) {
      if (last.followers.length > 0) throw new Error('a prompt does not fit the cache: this is a bug')
      this.#deliver(last.request, last.answer, last.answer.cutShort())
      return
    }
    this.#putOff(last)
    this.#isFull = true
  }

  /** It comes back before everybody else. */
  #putOff(active: Active): void {
    for (const { request, answer } of this.#vacate(active)) {
      if (request.mayGoOn(answer)) this.#waiting.unshift(request.accountId, { request, answer })
      else request.asleep.add(answer)
    }
  }

  /** It comes back when it is its account's turn. */
  #giveWay(active: Active): void {
    for (const { request, answer, isFollower } of this.#vacate(active)) {
      if (!isFollower) request.parked.add(answer)
      if (request.mayGoOn(answer)) this.#waiting.giveBack(request.accountId, { request, answer })
      else request.asleep.add(answer)
    }
  }

  /** Frees its sequence and those of its followers; returns them, the last one first. */
  #vacate(active: Active): Active[] {
    const leader = this.#active.find(({ followers }) => followers.includes(active))
    if (leader !== undefined) leader.followers = leader.followers.filter((follower) => follower !== active)
    const members = [active, ...active.followers].reverse()
    for (const member of members) {
      this.#options.sequences.park(member.sequence)
      this.#release(member)
      member.answer.decoded = 0
    }
    return members
  }

  #post(request: GrantedRequest, event: ChatEvent): void {
    if (!request.isOver) this.#outbox.push({ id: request.id, event })
  }

  #flush(): void {
    if (this.#outbox.length === 0) return
    const events = this.#outbox
    this.#outbox = []
    this.#options.emit(events)
  }
}

interface ActiveHolder extends SlotHolder {
  readonly active: Active
}

function toHolder(active: Active): ActiveHolder {
  const { request, answer, isFollower, generatedBefore } = active
  return {
    active,
    accountId: request.accountId,
    isEmpty: isFollower,
    tokens: answer.tokens.length,
    turnTokens: answer.generatedTokens - generatedBefore,
    wasParked: request.parked.has(answer),
  }
}

/** Computes the prompt that all answers of the request begin with. */
function leads(request: GrantedRequest) {
  return (active: Active) => active.request === request && !active.isFollower && active.answer.generatedTokens === 0
}

/** Takes part in the next step. */
function isWorking({ isFollower, request, answer }: Active): boolean {
  return !isFollower && request.mayGoOn(answer)
}
