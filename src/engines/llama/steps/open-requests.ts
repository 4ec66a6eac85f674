/** Open requests of the step loop: their events, from the first to the last. */
import type { ChatEvent } from '../../../core/chat.ts'
import type { ErrorData } from '../../../core/errors.ts'
import type { Grant, RequestEvent } from '../../protocol/request-events.ts'
import type { StepClock } from '../../shared/step-clock.ts'
import type { Answer } from '../answer/answer.ts'
import type { StreamLength } from '../cache/cache-layouts.ts'
import type { NativeSample, NativeScores } from '../native.ts'
import { GrantedRequest, type LoopRequest } from './granted-request.ts'

interface OpenRequestsOptions {
  readonly clock: StepClock
  readonly emit: (events: readonly RequestEvent<ChatEvent>[]) => void
  /** Called when an answer is complete. It takes part in no later step. */
  readonly onAnswerEnd: (answer: Answer) => void
  /** Called when a request has failed or was cancelled. */
  readonly onForget: (request: GrantedRequest) => void
}

interface Untold {
  readonly request: GrantedRequest
  readonly answer: Answer
  readonly sample: NativeSample
}

export class OpenRequests {
  readonly #options: OpenRequestsOptions
  readonly #requests = new Map<number, GrantedRequest>()
  /** Cancelled requests whose usage has not been sent yet. */
  #cancelled: GrantedRequest[] = []
  #outbox: RequestEvent<ChatEvent>[] = []
  /** Accepted tokens whose text is read while the next step runs. */
  #untold: Untold[] = []
  readonly totals = { reusedPromptTokens: 0, generatedTokens: 0 }

  constructor(options: OpenRequestsOptions) {
    this.#options = options
  }

  get size(): number {
    return this.#requests.size
  }

  get hasCancelled(): boolean {
    return this.#cancelled.length > 0
  }

  get hasUntold(): boolean {
    return this.#untold.length > 0
  }

  /** Lengths of the unfinished answers. */
  streams(): StreamLength[] {
    return [...this.#requests.values()].flatMap(({ unfinished, prepared }) =>
      [...unfinished].map(({ prompt, units }) => ({
        promptTokens: prompt.units.length,
        tokens: units.length,
        answerTokens: prepared.outputTokens,
      })),
    )
  }

  get(id: number): GrantedRequest | undefined {
    return this.#requests.get(id)
  }

  add(added: LoopRequest, grant: Grant): GrantedRequest {
    const request = new GrantedRequest(added, grant)
    this.#options.clock.enqueue(added.id)
    this.#requests.set(added.id, request)
    return request
  }

  /** Ends the answers that will get no other token, and asks for the grant that others will soon need. */
  followGrant(request: GrantedRequest): void {
    for (const answer of request.unfinished) this.#checkGrant(request, answer)
  }

  cancel(request: GrantedRequest): void {
    this.#forget(request)
    this.#cancelled.push(request)
  }

  /** Sends the usage of cancelled requests, except those that `isBusy`. */
  endCancelled(isBusy: (request: GrantedRequest) => boolean): void {
    for (const request of this.#cancelled) {
      if (!isBusy(request)) this.#outbox.push({ id: request.prepared.id, cancelled: request.usage() })
    }
    this.#cancelled = this.#cancelled.filter(isBusy)
  }

  /**
   * Begins an answer, with the cached part of its prompt. Answers can be placed more than once; the first time counts.
   */
  begin(request: GrantedRequest, answer: Answer): void {
    if (request.hasBegun(answer)) return
    this.#options.clock.dequeue(request.prepared.id)
    request.begin(answer)
    this.totals.reusedPromptTokens += answer.decoded
    this.start(request)
  }

  /**
   * Sends the first event once it is certain that no picture is refused: until then the client can get an error status.
   * Does so only once.
   */
  start(request: GrantedRequest): void {
    const { cachedTokens, hasStarted, unseen, prepared } = request
    if (cachedTokens === undefined || hasStarted || unseen.size > 0) return
    request.hasStarted = true
    this.#post(request, { type: 'start', promptTokens: prepared.promptTokens, cachedTokens })
  }

  /** Ends an answer that will get no other token, or asks for the grant that it will soon need. */
  #checkGrant(request: GrantedRequest, answer: Answer): void {
    if (request.isSpent(answer)) {
      this.begin(request, answer)
      this.deliver(request, answer, answer.endHere())
    } else if (request.asksFor(answer)) this.#outbox.push({ id: request.prepared.id, wantsGrant: true })
  }

  /** Takes a sample. The sampler does not know every end of an answer: its choices after the end are ignored. */
  take(
    { request, answer }: Pick<Untold, 'request' | 'answer'>,
    sample: NativeSample,
    { isToldLater = false } = {},
  ): void {
    if (request.isOver || !request.unfinished.has(answer)) return
    if (sample.error !== undefined) {
      this.#endWithoutToken(request, answer, sample.error)
      return
    }
    this.totals.generatedTokens++
    const untold = { request, answer, sample }
    if (answer.accept(sample) && isToldLater) this.#untold.push(untold)
    else this.#tell(untold)
  }

  /** Sends the scores of a prompt's next places, up to `end`. */
  score({ request, answer }: Pick<Untold, 'request' | 'answer'>, end: number, scores: NativeScores | undefined): void {
    if (request.isOver || !request.unfinished.has(answer)) return
    if (scores?.logprobs.some(Number.isNaN) === true) this.fail(request, brokenModel)
    else this.deliver(request, answer, [answer.score(end, scores)])
  }

  /** Reads the text of accepted tokens. If it ends an answer, the running step's sample for that answer is not used. */
  tellAccepted(): void {
    const untold = this.#untold
    this.#untold = []
    for (const each of untold) this.#tell(each)
  }

  #tell({ request, answer, sample }: Untold): void {
    if (request.isOver || !request.unfinished.has(answer)) return
    this.deliver(request, answer, answer.tell(sample))
    if (request.unfinished.has(answer)) this.#checkGrant(request, answer)
  }

  /** Sends events of an answer. */
  deliver(request: GrantedRequest, answer: Answer, events: readonly ChatEvent[]): void {
    request.unseen.clear()
    this.start(request)
    for (const event of events) this.#post(request, event)
    if (events.at(-1)?.type !== 'choice-finish') return
    this.#options.onAnswerEnd(answer)
    request.unfinished.delete(answer)
    if (request.unfinished.size > 0) return
    this.#requests.delete(request.prepared.id)
    this.#post(request, request.finish())
  }

  /**
   * Ends an answer for which no token can be sampled. If the request's own constraints are the reason, it is charged
   * like any other: otherwise a contradiction late in a schema would make the text free.
   */
  #endWithoutToken(request: GrantedRequest, answer: Answer, reason: string): void {
    if (request.prepared.isConstrained && answer.generatedTokens > 0) this.deliver(request, answer, answer.endHere())
    else this.fail(request, noTokenError(request.prepared, reason))
  }

  /** Reports the pictures in work at once, since a file can crash this process. */
  tellHandling({ isOver, unfinished, prepared }: GrantedRequest, hashes: readonly string[]): void {
    if (isOver || unfinished.size === 0) return
    this.#outbox.push({ id: prepared.id, encoding: hashes })
    this.flush()
  }

  /** Ends a request with an error, unless it is over. It is not charged. */
  fail(request: GrantedRequest, error: ErrorData): void {
    if (request.isOver) return
    this.#outbox.push({ id: request.prepared.id, error })
    this.#forget(request)
  }

  /** Forgets a request: it is no longer computed or sent. Its slots are freed before the next step. */
  #forget(request: GrantedRequest): void {
    request.isOver = true
    this.#requests.delete(request.prepared.id)
    this.#options.clock.forget(request.prepared.id)
    this.#options.onForget(request)
  }

  #post(request: GrantedRequest, event: ChatEvent): void {
    if (!request.isOver) this.#outbox.push({ id: request.prepared.id, event })
  }

  /** Sends all pending events. Returns whether there were any. */
  flush(): boolean {
    if (this.#outbox.length === 0) return false
    const events = this.#outbox
    this.#outbox = []
    this.#options.emit(events)
    return true
  }
}

const brokenModel: ErrorData = {
  kind: 'engine',
  code: 'engine_failed',
  message: 'The model computes no usable numbers: its file is damaged.',
}

/** Returns the error if no token is possible: the constraints allow none, or the model is broken. */
function noTokenError({ isConstrained }: LoopRequest, reason: string): ErrorData {
  if (!isConstrained) return brokenModel
  const message = `No token satisfies this request's constraints (${reason}). Loosen logit_bias or the format.`
  return { kind: 'invalid_request', code: 'invalid_value', message }
}
