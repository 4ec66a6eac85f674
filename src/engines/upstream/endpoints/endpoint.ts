import type { Availability, EndpointState } from '../../../core/endpoint-state.ts'
import type { ModelAnswer } from './ask-server.ts'
import {
  type Attempt,
  answered,
  type Breaker,
  type BreakerState,
  begun,
  breakerState,
  closedBreaker,
  ended,
  type Outcome,
  probeTimeMs,
} from './breaker.ts'

/** One endpoint of one model during the server's run, across loads of the model. */
export class Endpoint {
  readonly model: string
  readonly url: string
  /** True while the operator drains the endpoint: no further requests, running ones continue. */
  isDraining = false
  /** Reason why the endpoint gets no requests although it answers, as a clause about the server. */
  outOfUse: string | undefined
  contextTokens: number | undefined
  /**
   * True if the server has confirmed the model since its last failure. After a failure another server may answer at
   * the URL.
   */
  hasModel = false
  /** Trouble that was last logged. */
  toldTrouble: string | undefined
  #outstanding = 0
  #breaker: Breaker = closedBreaker
  /** Number of ended requests by outcome. */
  readonly #ends: Record<Outcome, number> = { served: 0, failed: 0, refused: 0, neutral: 0 }
  /** True if the latest conclusive request or check failed. */
  #isSilent = false
  #lastFailure: { readonly atMs: number; readonly reason: string } | undefined

  constructor(model: string, url: string) {
    this.model = model
    this.url = url
  }

  get mayBeUsed(): boolean {
    return !this.isDraining && this.outOfUse === undefined
  }

  get outstanding(): number {
    return this.#outstanding
  }

  get lastFailureMs(): number {
    return this.#breaker.lastFailureMs
  }

  /** Earliest time of a probe. Undefined while the breaker is closed. */
  get probeAtMs(): number | undefined {
    return probeTimeMs(this.#breaker)
  }

  /** Reason why the endpoint gets no requests, as a clause about the server. */
  get trouble(): string | undefined {
    if (this.outOfUse !== undefined || this.probeAtMs === undefined) return this.outOfUse
    return `failed: ${this.#lastFailure?.reason ?? 'no reason is known'}`
  }

  state(nowMs: number): BreakerState {
    return breakerState(this.#breaker, nowMs)
  }

  /** Begins a request or a health check. */
  begin(): Attempt {
    const { breaker, attempt } = begun(this.#breaker)
    this.#breaker = breaker
    return attempt
  }

  answer(attempt: Attempt): void {
    this.#breaker = answered(this.#breaker, attempt)
    this.#isSilent = false
  }

  end(attempt: Attempt, outcome: Outcome, nowMs: number, reason: string): void {
    this.#breaker = ended(this.#breaker, attempt, outcome, nowMs)
    if (outcome === 'served') this.#isSilent = false
    if (outcome === 'failed' || outcome === 'refused') this.#lastFailure = { atMs: Date.now(), reason }
    if (outcome !== 'failed') return
    this.#isSilent = true
    if (this.probeAtMs !== undefined) this.hasModel = false
  }

  noteModel(answer: ModelAnswer): void {
    this.outOfUse = undefined
    if (answer.kind === 'lacks') this.outOfUse = lacksText(answer.ids)
    if (answer.kind === 'refuses') this.outOfUse = `refuses the key (status ${answer.status})`
    if (answer.kind === 'has') this.contextTokens = answer.contextTokens
    this.hasModel = this.outOfUse === undefined
  }

  /** Takes a place for a request. */
  enter(): void {
    this.#outstanding++
  }

  leave(outcome: Outcome): void {
    this.#outstanding--
    this.#ends[outcome]++
  }

  status(nowMs: number): EndpointState {
    return {
      ...{ model: this.model, url: this.url, outstanding: this.#outstanding, ...this.#ends },
      ...{ lastFailure: this.#lastFailure, isSilent: this.#isSilent, contextTokens: this.contextTokens },
      ...this.#availability(nowMs),
    }
  }

  #availability(nowMs: number): Availability {
    const { outOfUse, probeAtMs } = this
    const retryInMs = probeAtMs === undefined ? undefined : Math.max(0, Math.ceil(probeAtMs - nowMs))
    if (this.isDraining) return { state: 'draining', retryInMs, outOfUse }
    if (outOfUse !== undefined) return { state: 'out-of-use', retryInMs, outOfUse }
    const state = this.state(nowMs)
    if (state === 'closed' || retryInMs === undefined) return { state: 'closed', retryInMs: undefined, outOfUse }
    return { state, retryInMs, outOfUse }
  }
}

function lacksText(ids: readonly string[]): string {
  return ids.length === 0 ? 'has no models' : `lacks it and has ${ids.map((id) => `"${id}"`).join(', ')}`
}
