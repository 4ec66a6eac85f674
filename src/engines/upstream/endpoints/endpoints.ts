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
  /** Base URLs that this request already tried. */
  readonly without: ReadonlySet<string>
  readonly signal: AbortSignal
}

/** Place of a request at an endpoint. Its holder must release it. */
export interface EndpointPlace {
  /** Base URL. */
  readonly url: string
  /** Records that the server began to answer: others may follow a probe. */
  answered(): void
  /** Asks the server whether it still knows the key and the model. Otherwise it gets no requests. */
  doubt(): void
  /**
   * Releases the place once; later calls do nothing. `served` closes the breaker, `failed` counts against it, `refused`
   * and `neutral` do neither. `reason` describes a failure in words for the operator; it completes "the last request
   * failed: …".
   */
  release(outcome: Outcome, reason?: string): void
}

interface EndpointsSetup {
  readonly modelId: string
  /** Name of the model at the servers. */
  readonly modelThere: string
  readonly endpoints: readonly Endpoint[]
  /** Most parallel requests of each endpoint. */
  readonly maxConcurrent: number
  /** Longest wait for a place. */
  readonly waitLimitMs: number
  readonly clock: Clock
  readonly questions: ServerQuestions
  readonly log: (line: EngineLogLine) => void
  /** Open instances for the same model. There are two while the requests of an earlier load end. */
  readonly open?: Set<Endpoints>
}

interface Waiting {
  /** Endpoints that it may be sent to, the best first. */
  readonly ranked: readonly Endpoint[]
  readonly admit: (endpoint: Endpoint) => void
  readonly refuse: (error: unknown) => void
}

/** Assignment of requests to the endpoints of a loaded model. */
export class Endpoints {
  readonly #setup: EndpointsSetup
  readonly #queue = new WeightedFairQueue<Waiting>()
  /** Requests in the queue. */
  readonly #waiting = new Set<Waiting>()
  /** Functions that cancel the timers of open breakers. */
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
    // Servers are asked about the current manifest from now on.
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
   * has tried all usable ones, or if the wait is too long; with the signal's reason when that aborts.
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
   * Asks all servers whether they have the model, for two seconds at most; those that lack it get no requests until
   * they have it. Resolves to the longest prompt and answer together that all of them take, in tokens; undefined if
   * none reports it. Throws LoadError if no answering server has the model. Called once, before requests come.
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

  /** Asks all servers again. */
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

  /** Records a failed attempt. Requests for which only open breakers are left stop waiting. */
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

  /** Refuses waiting and new requests. Taken places stay until they are released. */
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
