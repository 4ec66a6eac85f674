/**
 * Decides what each step decodes. One step is one batch: a token for every answer that is being generated, then pieces
 * of the prompts that are being processed. Requests come and go between steps.
 */
import type { ChatEvent } from '../../core/chat.ts'
import type { EngineStats, RequestEvent, WireError } from '../protocol.ts'
import type { Answer } from './answer.ts'
import { FairQueue } from './fair-queue.ts'
import type { NativeBatch, NativeContext, NativeSample } from './native.ts'
import { PrefillPace } from './prefill-pace.ts'
import type { Sequences } from './sequences.ts'
import { shareBudget } from './share-budget.ts'

/** A request as the loop sees it. */
export interface LoopRequest {
  readonly id: number
  readonly accountId: string
  readonly promptTokens: number
  /** Its own settings ban tokens. */
  readonly isConstrained: boolean
  /** One per choice, all with the same prompt. */
  readonly answers: readonly Answer[]
}

interface OpenRequest extends LoopRequest {
  cachedTokens: number | undefined
  unfinished: number
  cancelled: boolean
}

/** Answers with the same tokens that wait for sequences together; the first computes the prompt for all. */
interface Run {
  readonly request: OpenRequest
  readonly answers: readonly Answer[]
}

/** An answer that owns a sequence. */
interface Active {
  readonly request: OpenRequest
  readonly answer: Answer
  readonly sequence: number
  /** Answers that get a copy of this one's sequence once its prompt is decoded. */
  followers: readonly Active[]
  /** Waits as somebody's follower: not decoded itself. */
  isFollower: boolean
}

interface PlannedChunk {
  readonly active: Active
  readonly tokens: readonly number[]
}

interface Plan {
  readonly chunks: readonly PlannedChunk[]
  /** `readers[i]` takes sample i. */
  readonly readers: readonly Active[]
  readonly batch: NativeBatch
}

export interface StepLoopOptions {
  readonly context: Pick<NativeContext, 'step'>
  readonly sequences: Sequences
  readonly batchTokens: number
  readonly emit: (events: readonly RequestEvent[]) => void
  /** The decoder itself failed: nothing can be trusted any more. */
  readonly onFatal: (error: unknown) => void
  readonly nowMs: () => number
}

export class StepLoop {
  readonly #options: StepLoopOptions
  readonly #pace: PrefillPace
  readonly #waiting = new FairQueue<Run>()
  readonly #requests = new Map<number, OpenRequest>()
  #active: Active[] = []
  #steps = 0
  #isRunning = false
  /** The cache overflowed: nobody new comes in before somebody has left. */
  #isFull = false
  #outbox: RequestEvent[] = []

  constructor(options: StepLoopOptions) {
    this.#options = options
    this.#pace = new PrefillPace(options.batchTokens)
  }

  add(request: LoopRequest): void {
    const open: OpenRequest = {
      ...request,
      cachedTokens: undefined,
      unfinished: request.answers.length,
      cancelled: false,
    }
    this.#requests.set(request.id, open)
    this.#waiting.push(request.accountId, { request: open, answers: request.answers })
    if (!this.#isRunning) void this.#run().catch(this.#options.onFatal)
  }

  /** Takes effect before the next step; no event of the request follows. Unknown ids are ignored. */
  cancel(id: number): void {
    const request = this.#requests.get(id)
    if (request === undefined) return
    request.cancelled = true
    this.#requests.delete(id)
    this.#waiting.remove((run) => run.request === request)
  }

  stats(): EngineStats {
    const running = new Set(this.#active.map(({ request }) => request).filter((request) => !request.cancelled)).size
    return { steps: this.#steps, running, waiting: this.#requests.size - running }
  }

  async #run(): Promise<void> {
    this.#isRunning = true
    while (true) {
      this.#dropCancelled()
      this.#admit()
      if (this.#active.length === 0) break
      this.#options.sequences.parkIdle()
      const plan = this.#plan()
      const startedMs = this.#options.nowMs()
      const step = this.#options.context.step(plan.batch)
      // While the decoder works: sending takes a thread's time too.
      this.#flush()
      const result = await step
      if (result.kind === 'cache-full') {
        // Whoever left during the step takes part in no other, and leaves room.
        if (!this.#dropCancelled()) this.#makeRoom()
        continue
      }
      this.#steps++
      this.#pace.observe(plan.batch.tokens.length, this.#options.nowMs() - startedMs)
      this.#apply(plan, result.samples)
    }
    this.#flush()
    this.#isRunning = false
  }

  /** False when there was nobody to drop. */
  #dropCancelled(): boolean {
    const cancelled = this.#active.filter(({ request }) => request.cancelled)
    for (const active of cancelled) this.#release(active)
    return cancelled.length > 0
  }

  /** Gives sequences to those whose turn it is, as long as there are enough. */
  #admit(): void {
    const { sequences } = this.#options
    while (!this.#isFull) {
      const run = this.#waiting.peek()
      if (run === undefined || run.answers.length > sequences.idle) return
      this.#waiting.shift()
      this.#place(run)
    }
  }

  #place({ request, answers }: Run): void {
    const { sequences } = this.#options
    const [first, ...others] = answers
    if (first === undefined) throw new Error('a run without answers: this is a bug')
    const { sequence, reused } = sequences.acquire(first.tokens, request.accountId)
    first.decoded = reused
    const leader: Active = { request, answer: first, sequence, followers: [], isFollower: false }
    leader.followers = others.map((answer) => {
      const empty = sequences.acquireEmpty(request.accountId)
      return { request, answer, sequence: empty, followers: [], isFollower: true }
    })
    this.#active.push(leader, ...leader.followers)
    if (request.cachedTokens !== undefined) return // comes back after having been put off
    request.cachedTokens = reused
    this.#post(request, { type: 'start', promptTokens: request.promptTokens, cachedTokens: reused })
  }

  #plan(): Plan {
    const working = this.#active.filter((active) => !active.isFollower)
    const generating = working.filter(({ answer }) => answer.isGenerating)
    const processing = working.filter(({ answer }) => !answer.isGenerating)
    const demands = processing.map(({ request, answer }) => ({
      accountId: request.accountId,
      tokens: answer.undecoded,
    }))
    const limit = Math.max(0, this.#options.batchTokens - generating.length)
    const tokens = this.#pace.budget(generating.length, processing.length)
    const shares = shareBudget(demands, { tokens, limit, turn: this.#steps })
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
    return toPlan(chunks)
  }

  #apply(plan: Plan, samples: readonly NativeSample[]): void {
    for (const { active, tokens } of plan.chunks) {
      active.answer.decoded += tokens.length
      this.#options.sequences.append(active.sequence, tokens)
      if (active.answer.undecoded === 0) this.#startFollowers(active)
    }
    plan.readers.forEach((active, index) => {
      const sample = samples[index]
      if (sample === undefined) throw new Error('a step returned too few samples: this is a bug')
      if (active.request.cancelled) return
      if (sample.error !== undefined) {
        this.#refuse(active.request, sample.error)
        return
      }
      this.#deliver(active, active.answer.take(sample))
    })
  }

  #startFollowers(leader: Active): void {
    for (const follower of leader.followers) {
      this.#options.sequences.copy(leader.sequence, follower.sequence)
      follower.answer.decoded = leader.answer.decoded
      follower.isFollower = false
    }
    leader.followers = []
  }

  #deliver(active: Active, events: readonly ChatEvent[]): void {
    for (const event of events) this.#post(active.request, event)
    if (events.at(-1)?.type !== 'choice-finish') return
    this.#release(active)
    const { request } = active
    request.unfinished--
    if (request.unfinished > 0) return
    this.#requests.delete(request.id)
    this.#post(request, {
      type: 'finish',
      usage: {
        promptTokens: request.promptTokens,
        cachedTokens: request.cachedTokens ?? 0,
        completionTokens: total(request.answers.map((answer) => answer.generatedTokens)),
        reasoningTokens: total(request.answers.map((answer) => answer.reasoningTokens)),
      },
    })
    this.#outbox.push({ id: request.id, done: true })
  }

  /** Sampling has no token left to choose from: constraints that contradict each other, or a model that is broken. */
  #refuse(request: OpenRequest, reason: string): void {
    const error: WireError = request.isConstrained
      ? {
          kind: 'invalid_request',
          code: 'invalid_value',
          message: `No token satisfies this request's constraints (${reason}). Loosen logit_bias or the format.`,
        }
      : { kind: 'engine', code: 'engine_failed', message: 'The model computes no usable numbers: its file is damaged.' }
    this.#outbox.push({ id: request.id, error })
    this.cancel(request.id)
  }

  #release(active: Active): void {
    this.#options.sequences.release(active.sequence)
    this.#active = this.#active.filter((other) => other !== active)
    this.#isFull = false
  }

  /**
   * The cache has no room for the next batch. The answer that came last is put off: it gives its cells back, and goes
   * on when somebody has left. An answer alone in the cache has reached its end.
   */
  #makeRoom(): void {
    const working = this.#active.filter((active) => !active.isFollower)
    const last = working.at(-1)
    if (last === undefined) throw new Error('the cache is full of nothing: this is a bug')
    if (working.length === 1) {
      if (last.followers.length > 0) throw new Error('a prompt does not fit the cache: this is a bug')
      this.#deliver(last, last.answer.cutShort())
      return
    }
    this.#putOff(last)
  }

  #putOff(active: Active): void {
    const { request, answer, followers } = active
    for (const member of [active, ...followers]) {
      this.#options.sequences.park(member.sequence)
      this.#release(member)
    }
    answer.decoded = 0
    this.#waiting.unshift(request.accountId, {
      request,
      answers: [answer, ...followers.map((follower) => follower.answer)],
    })
    this.#isFull = true
  }

  #post(request: OpenRequest, event: ChatEvent): void {
    if (!request.cancelled) this.#outbox.push({ id: request.id, event })
  }

  #flush(): void {
    if (this.#outbox.length === 0) return
    this.#options.emit(this.#outbox)
    this.#outbox = []
  }
}

/** Lays chunks out as one batch, ordered by sequence as the decoder likes it best. A chunk that reaches its answer's end is sampled, once for each of its followers too. */
function toPlan(unordered: readonly PlannedChunk[]): Plan {
  const chunks = unordered.toSorted((left, right) => left.active.sequence - right.active.sequence)
  const size = total(chunks.map((chunk) => chunk.tokens.length))
  const tokens = new Int32Array(size)
  const positions = new Int32Array(size)
  const sequences = new Int32Array(size)
  const readers: Active[] = []
  const outputs: { entry: number; sampler: Answer['sampler'] }[] = []
  let entry = 0
  for (const { active, tokens: chunk } of chunks) {
    const { answer, sequence, followers } = active
    tokens.set(chunk, entry)
    sequences.fill(sequence, entry, entry + chunk.length)
    for (let offset = 0; offset < chunk.length; offset++) positions[entry + offset] = answer.decoded + offset
    entry += chunk.length
    if (answer.decoded + chunk.length < answer.tokens.length) continue
    for (const reader of [active, ...followers]) {
      readers.push(reader)
      outputs.push({ entry: entry - 1, sampler: reader.answer.sampler })
    }
  }
  return { chunks, readers, batch: { tokens, positions, sequences, outputs } }
}

function total(numbers: readonly number[]): number {
  return numbers.reduce((sum, number) => sum + number, 0)
}
