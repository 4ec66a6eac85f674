/** Life of one request to an upstream model: prepared, granted, sent to servers, and ended exactly once. */
import { type ApiError, errorData } from '../../../core/errors.ts'
import { type Consumption, nothingConsumed, type StartEvent } from '../../../core/usage.ts'
import { withinGrant } from '../../../core/within-grant.ts'
import type { WorkKind } from '../../../core/work.ts'
import type { Grant, RequestEvent } from '../../protocol/request-events.ts'
import { type AskedServers, askServers } from './ask-servers.ts'
import type { OutputOf, UpstreamLink, UpstreamWork } from './upstream-work.ts'

type Output = OutputOf<WorkKind>

interface RequestLifeOptions {
  readonly id: number
  readonly accountId: string
  readonly work: UpstreamWork<Output>
  /** True if no money is held, so that the request begins at once. */
  readonly isFree: boolean
  readonly servers: AskedServers
  readonly send: (events: readonly RequestEvent[]) => void
  /** Converts any thrown value to the client's error. */
  readonly clientError: (error: unknown) => ApiError
  /** Called once, after the last event, with the usage. */
  readonly onEnd: (used: Consumption) => void
}

export class RequestLife {
  readonly #options: RequestLifeOptions
  readonly #ending = new AbortController()
  #state: 'waiting' | 'running' | 'ended' = 'waiting'
  #granted = nothingConsumed
  #used = nothingConsumed
  #isEstimated = false
  #hasStarted = false
  #paused: PromiseWithResolvers<void> | undefined

  constructor(options: RequestLifeOptions) {
    this.#options = options
  }

  /** True once some of the answer has come. */
  get isRunning(): boolean {
    return this.#hasStarted
  }

  /** Usage so far, at most the grant. */
  get used(): Consumption {
    return withinGrant(this.#used, this.#granted).used
  }

  begin(): void {
    const { id, work, isFree, send } = this.#options
    if (isFree) void this.#run(nothingConsumed)
    else send([{ id, prepared: { ...work.estimate, isOnlyGrant: true } }])
  }

  grant({ limit }: Grant): void {
    if (this.#state === 'waiting') void this.#run(limit)
  }

  cancel(): void {
    const { id } = this.#options
    this.#end([{ id, cancelled: this.used, ...this.#mark() }])
  }

  pause(isPaused: boolean): void {
    if (isPaused && this.#state !== 'ended') this.#paused ??= Promise.withResolvers()
    else this.#unpause()
  }

  async #run(granted: Consumption): Promise<void> {
    const { id, work, clientError } = this.#options
    this.#state = 'running'
    this.#granted = granted
    try {
      await work.run(this.#link())
      const start = this.#start()
      this.#end([...start, { id, event: { type: 'finish', usage: this.used, ...this.#mark() } }])
    } catch (error) {
      if (this.#state === 'running') this.#end([{ id, error: errorData(clientError(error)) }])
    }
  }

  #link(): UpstreamLink<Output> {
    const { accountId, work, servers } = this.#options
    const { signal } = this.#ending
    return {
      granted: this.#granted,
      signal,
      call: (ask) =>
        askServers({
          ...{ accountId, servers, signal, ask, prefix: work.prefix },
          emit: (outputs) => this.#emit(outputs),
          unpaused: async () => this.#paused?.promise,
        }),
      used: (used, isEstimated = false) => {
        if (this.#state !== 'running') return
        this.#used = used
        this.#isEstimated = isEstimated
      },
      started: (prompt) => this.#send(this.#start(prompt)),
    }
  }

  #emit(outputs: readonly Output[]): void {
    const { id } = this.#options
    if (outputs.length > 0) this.#send([...this.#start(), ...outputs.map((event) => ({ id, event }))])
  }

  /** Returns the start event, or nothing if it was already sent. */
  #start(prompt: Omit<StartEvent, 'type'> = this.used): readonly RequestEvent[] {
    if (this.#hasStarted) return []
    this.#hasStarted = true
    const { promptTokens, cachedTokens } = prompt
    return [{ id: this.#options.id, event: { type: 'start', promptTokens, cachedTokens } }]
  }

  #send(events: readonly RequestEvent[]): void {
    if (this.#state === 'running' && events.length > 0) this.#options.send(events)
  }

  #mark(): { readonly isEstimated?: true } {
    return this.#isEstimated ? { isEstimated: true } : {}
  }

  #end(last: readonly RequestEvent[]): void {
    if (this.#state === 'ended') return
    this.#state = 'ended'
    this.#ending.abort(new Error('the request has ended'))
    this.#unpause()
    this.#options.send(last)
    this.#options.onEnd(this.used)
  }

  #unpause(): void {
    this.#paused?.resolve()
    this.#paused = undefined
  }
}
