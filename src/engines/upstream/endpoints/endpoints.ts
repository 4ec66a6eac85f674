import type { Clock } from '../../../core/clock.ts'
import { WeightedFairQueue } from '../../../core/weighted-fair-queue.ts'
import type { EngineLogLine } from '../../protocol/engine.ts'
import { noServer, serversBusy } from '../../shared/engine-errors.ts'
import type { ServerQuestions } from './ask-server.ts'
import type { Outcome } from './breaker.ts'
import { decide, rankEndpoints, refusedAfterFailure } from './decide.ts'
import type { Endpoint } from './endpoint.ts'
import { HealthChecks, requireModel } from './health-checks.ts'

/** Request that asks for a place. */
interface Asked {
  readonly accountId: string
  /** Beginning of the prompt. */
  readonly prefix: string
  /** Base URLs already tried for this request. */
  readonly without: ReadonlySet<string>
  readonly signal: AbortSignal
}

/** Place of a request at an endpoint. The holder must release it. */
export interface EndpointPlace {
  /** Base URL. */
  readonly url: string
  /** Records that the server began to answer, so that other requests may follow a probe. */
  answered(): void
  /** Asks the server whether it still accepts the key and serves the model. If not, the endpoint gets no requests. */
  doubt(): void
  /**
   * Releases the place; later calls do nothing. `served` closes the breaker, `failed` counts against it, `refused` and
   * `neutral` do neither. `reason`: description of a failure for the operator, which completes "the last request
   * failed: …".
   */
  release(outcome: Outcome, reason?: string): void
}

interface EndpointsSetup {
  readonly modelId: string
  /** Name of the model at the servers. */
  readonly modelThere: string
  readonly endpoints: readonly Endpoint[]
  /** Most parallel requests per endpoint. */
  readonly maxConcurrent: number
  /** Longest wait for a place. */
  readonly waitLimitMs: number
  readonly clock: Clock
  readonly questions: ServerQuestions
  readonly log: (line: EngineLogLine) => void
  /** Open instances for the same model: two while requests of an earlier load are still ending. */
  readonly open?: Set<Endpoints>
}

interface Waiting {
  /** Permitted endpoints of the request, the best first. */
  readonly ranked: readonly Endpoint[]
  readonly admit: (endpoint: Endpoint) => void
  readonly refuse: (error: unknown) => void
}

/** Assigns requests to the endpoints of a loaded model. */
export class Endpoints {
  readonly #setup: EndpointsSetup
  readonly #queue = new WeightedFairQueue<Waiting>()
  /** Requests in the queue. */
  readonly #waiting = new Set<Waiting>()
  /** Functions that cancel the timers of open breakers, by endpoint. */
  readonly #wakeUps = new Map<Endpoint, () => void>()
  readonly #health: HealthChecks
  readonly #open: Set<Endpoints>
  #isClosed = false

  constructor(setup: EndpointsSetup) {
    this.#setup = setup
    this.#health = new HealthChecks({
      ...setup,
      onChange: (endpoint, hasFailed) => this.#changed(endpoint, hasFailed),
    })
    // Only this load checks the servers from now on, with the current manifest.
    this.#open = setup.open ?? new Set()
    for (const earlier of this.#open) earlier.#health.close()
    this.#open.add(this)
  }

  /** Longest wait for a place. */
  get waitLimitMs(): number {
    return this.#setup.waitLimitMs
  }

  get waiting(): number {
    return this.#waiting.size
  }

  /**
   * Waits for a place, in turn with other accounts. Rejects with ApiError 503 if all servers are down, if the request
   * has tried all usable ones, or if the wait is too long. Rejects with the signal's reason when it aborts.
   */
  async take({ accountId, prefix, without, signal }: Asked): Promise<EndpointPlace> {
    const { modelId, endpoints, clock, waitLimitMs } = this.#setup
    signal.throwIfAborted()
    this.#health.noteTraffic()
    if (this.#isClosed) throw noServer(modelId)
    const ranked = rankEndpoints(endpoints, accountId, prefix).filter(({ url }) => !without.has(url))
    const { promise, resolve, reject } = Promise.withResolvers<EndpointPlace>()
    const leave = () => {
      takeOut()
      this.#waiting.delete(waiting)
      cancelLimit()
      signal.removeEventListener('abort', onAbort)
    }
    const waiting: Waiting = {
      ranked,
      admit: (endpoint) => {
        leave()
        resolve(this.#place(endpoint))
      },
      refuse: (error) => {
        leave()
        reject(error)
      },
    }
    const onAbort = () => waiting.refuse(signal.reason)
    const takeOut = this.#queue.add(accountId, 1, waiting)
    const cancelLimit = clock.after(waitLimitMs, () => waiting.refuse(serversBusy(modelId)))
    this.#waiting.add(waiting)
    signal.addEventListener('abort', onAbort)
    this.serve()
    return promise
  }

  /**
   * Asks all servers whether they serve the model, for at most two seconds. Servers without it get no requests until
   * they have it. Resolves with the most tokens of a prompt and its answer that all servers take; undefined if none
   * reports it. Throws LoadError if no answering server has the model. Called once, before requests come.
   */
  async check(): Promise<number | undefined> {
    const { modelId, modelThere, endpoints, log } = this.#setup
    const answers = await this.#health.askForModel()
    requireModel(modelThere, endpoints, answers)
    for (const [index, { url }] of endpoints.entries()) {
      const answer = answers[index]
      if (answer?.kind !== 'silent') continue
      log({ modelId, level: 'warn', message: `endpoint ${new URL(url).host} does not answer: ${answer.reason}` })
    }
    const limits = endpoints.flatMap(({ contextTokens }) => contextTokens ?? [])
    return limits.length === 0 ? undefined : Math.min(...limits)
  }

  /** Repeats the questions to all servers. */
  async ask(): Promise<void> {
    await this.#health.askForModel()
  }

  /** Gives free places to waiting requests. Called when an endpoint becomes usable or unusable. */
  serve(): void {
    const { modelId, clock, maxConcurrent, endpoints } = this.#setup
    const decided = ({ ranked }: Waiting) => decide(ranked, maxConcurrent, clock.nowMs())
    for (const waiting of [...this.#waiting]) {
      if (waiting.ranked.every(({ mayBeUsed }) => !mayBeUsed)) waiting.refuse(noServer(modelId))
    }
    while (this.#waiting.size > 0 && endpoints.some(({ outstanding }) => outstanding < maxConcurrent)) {
      const next = this.#queue.take((waiting) => decided(waiting) !== undefined)
      const endpoint = next && decided(next)
      if (endpoint === undefined) return
      next?.admit(endpoint)
    }
  }

  /** Handles a failed attempt: refuses waiting requests for which only open breakers are left. */
  #noteFailure(endpoint: Endpoint): void {
    const { modelId, clock } = this.#setup
    const nowMs = clock.nowMs()
    for (const waiting of [...this.#waiting]) {
      const retryInMs = refusedAfterFailure(waiting.ranked, nowMs)
      if (retryInMs !== undefined) waiting.refuse(noServer(modelId, retryInMs))
    }
    const { probeAtMs } = endpoint
    if (probeAtMs === undefined) return
    this.#wakeUps.get(endpoint)?.()
    const wakeUp = clock.after(Math.max(0, probeAtMs - nowMs), () => {
      this.#wakeUps.delete(endpoint)
      this.serve()
    })
    this.#wakeUps.set(endpoint, wakeUp)
  }

  /** Refuses waiting and new requests. Places in use stay valid until released. */
  close(): void {
    this.#isClosed = true
    this.#open.delete(this)
    this.#health.close()
    for (const waiting of [...this.#waiting]) waiting.refuse(noServer(this.#setup.modelId))
    for (const cancel of this.#wakeUps.values()) cancel()
    this.#wakeUps.clear()
  }

  #changed(endpoint: Endpoint, hasFailed: boolean): void {
    this.#tell(endpoint)
    for (const each of [...this.#open]) {
      if (hasFailed) each.#noteFailure(endpoint)
      each.serve()
    }
  }

  #tell(endpoint: Endpoint): void {
    const { modelId, log } = this.#setup
    const { trouble } = endpoint
    if (trouble === endpoint.toldTrouble) return
    endpoint.toldTrouble = trouble
    const { host } = new URL(endpoint.url)
    if (trouble === undefined) {
      log({ modelId, level: 'info', message: `endpoint ${host} gets requests again` })
    } else {
      log({ modelId, level: 'warn', message: `endpoint ${host} gets no requests for now: it ${trouble}` })
    }
  }

  #place(endpoint: Endpoint): EndpointPlace {
    const { clock } = this.#setup
    const attempt = endpoint.begin()
    endpoint.enter()
    let isReleased = false
    return {
      url: endpoint.url,
      answered: () => {
        if (isReleased) return
        endpoint.answer(attempt)
        this.#changed(endpoint, false)
      },
      doubt: () => {
        endpoint.hasModel = false
      },
      release: (outcome, reason = 'the server did not answer as it should') => {
        if (isReleased) return
        isReleased = true
        endpoint.end(attempt, outcome, clock.nowMs(), reason)
        endpoint.leave(outcome)
        this.#changed(endpoint, outcome === 'failed')
      },
    }
  }
}
