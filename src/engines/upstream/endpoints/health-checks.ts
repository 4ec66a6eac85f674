import type { Clock } from '../../../core/clock.ts'
import { errorText } from '../../../core/error-text.ts'
import { LoadError } from '../../protocol/load-error.ts'
import type { ModelAnswer, ServerQuestions } from './ask-server.ts'
import type { Endpoint } from './endpoint.ts'

const checkEveryMs = 10_000
/** Time without requests after which health checks stop. */
const trafficLastsMs = 10 * 60_000
const answerWithinMs = 2_000

interface HealthChecksSetup {
  readonly endpoints: readonly Endpoint[]
  readonly questions: ServerQuestions
  readonly clock: Clock
  /** Called when an endpoint becomes usable or unusable. */
  readonly onChange: (endpoint: Endpoint, hasFailed: boolean) => void
}

/**
 * Checks the health of endpoints while there is traffic, or until a breaker closes; never on an idle server. An
 * endpoint that has not confirmed the model is asked about it instead, and gets no requests if it lacks the model.
 */
export class HealthChecks {
  readonly #setup: HealthChecksSetup
  readonly #closing = new AbortController()
  readonly #asked = new Set<Endpoint>()
  #lastTrafficMs = Number.NEGATIVE_INFINITY
  #cancelTick: (() => void) | undefined

  constructor(setup: HealthChecksSetup) {
    this.#setup = setup
  }

  /** Records a request. */
  noteTraffic(): void {
    this.#lastTrafficMs = this.#setup.clock.nowMs()
    this.#schedule()
  }

  /** Asks all endpoints about the model. Waits at most two seconds for their answers. Empty once closed. */
  async askForModel(): Promise<readonly ModelAnswer[]> {
    if (this.#closing.signal.aborted) return []
    return Promise.all(this.#setup.endpoints.map((endpoint) => this.#askForModel(endpoint)))
  }

  close(): void {
    this.#cancelTick?.()
    this.#closing.abort(new Error('the model is being unloaded'))
  }

  #schedule(): void {
    if (this.#cancelTick !== undefined || this.#closing.signal.aborted) return
    this.#cancelTick = this.#setup.clock.after(checkEveryMs, () => {
      this.#cancelTick = undefined
      this.#tick()
    })
  }

  #tick(): void {
    const { endpoints, clock } = this.#setup
    const hasTraffic = clock.nowMs() - this.#lastTrafficMs <= trafficLastsMs
    const wanted = endpoints.filter(
      ({ isDraining, probeAtMs }) => !isDraining && (hasTraffic || probeAtMs !== undefined),
    )
    for (const endpoint of wanted) {
      const state = endpoint.state(clock.nowMs())
      if (this.#asked.has(endpoint) || state === 'open' || state === 'probing') continue
      this.#asked.add(endpoint)
      const check = endpoint.hasModel ? this.#askHealth(endpoint) : this.#askForModel(endpoint)
      void check.finally(() => this.#asked.delete(endpoint))
    }
    if (hasTraffic || wanted.length > 0) this.#schedule()
  }

  async #askHealth(endpoint: Endpoint): Promise<void> {
    await this.#attempt(endpoint, (signal) => this.#setup.questions.health(endpoint.url, signal))
  }

  async #askForModel(endpoint: Endpoint): Promise<ModelAnswer> {
    const { questions } = this.#setup
    const asked = await this.#attempt(endpoint, async (signal) => {
      const answer = await questions.model(endpoint.url, signal)
      if (answer.kind === 'silent') throw new Error(answer.reason)
      endpoint.noteModel(answer)
      return answer
    })
    return 'result' in asked ? asked.result : { kind: 'silent', reason: asked.reason }
  }

  /**
   * Asks an endpoint and records the outcome. A success closes the breaker as far as possible without a request.
   * `reason`: why it failed.
   */
  async #attempt<Result>(
    endpoint: Endpoint,
    ask: (signal: AbortSignal) => Promise<Result>,
  ): Promise<{ readonly result: Result } | { readonly reason: string }> {
    const { clock, onChange } = this.#setup
    const attempt = endpoint.state(clock.nowMs()) === 'probing' ? undefined : endpoint.begin()
    const late = new AbortController()
    const cancel = clock.after(answerWithinMs, () =>
      late.abort(new Error(`it did not answer within ${answerWithinMs / 1000} s`)),
    )
    const outcome = await ask(AbortSignal.any([late.signal, this.#closing.signal])).then(
      (result) => ({ result }),
      (error: unknown) => ({ reason: errorText(error) }),
    )
    cancel()
    const hasFailed = 'reason' in outcome && !this.#closing.signal.aborted
    if (attempt !== undefined) {
      if ('result' in outcome) endpoint.answer(attempt)
      endpoint.end(attempt, hasFailed ? 'failed' : 'neutral', clock.nowMs(), 'reason' in outcome ? outcome.reason : '')
    }
    if (!this.#closing.signal.aborted) onChange(endpoint, hasFailed)
    return outcome
  }
}

/**
 * Throws LoadError if all answering servers lack the model or refuse the key. `answers` are in the order of endpoints.
 */
export function requireModel(model: string, endpoints: readonly Endpoint[], answers: readonly ModelAnswer[]): void {
  const answered = endpoints.filter((_, index) => answers[index]?.kind !== 'silent')
  if (answered.length === 0 || answered.some(({ outOfUse }) => outOfUse === undefined)) return
  const reasons = answered.map(({ url, outOfUse }) => `${new URL(url).host} ${outOfUse}`)
  throw new LoadError('other', `none of its servers serves "${model}": ${reasons.join('; ')}`)
}
