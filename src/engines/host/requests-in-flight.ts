/** Requests of one engine process, from sending until their end. */
import type { Work, WorkEvent } from '../../core/work.ts'
import { sendPacked, withoutPacked } from '../protocol/packed-request.ts'
import type { EngineStats } from '../protocol/protocol.ts'
import type { RequestContext } from '../protocol/work-engines.ts'
import { engineFailed } from '../shared/engine-errors.ts'
import type { RequestMessage } from './engine-life.ts'
import type { EndCause } from './exit-reason.ts'
import { OpenRequest } from './open-request.ts'
import { EngineEnded } from './outlive-engine.ts'
import type { EngineChild } from './spawn-engine.ts'

/** What the process reports about a request. */
export interface RequestWatch {
  /** Called at most once, when the request no longer waits for the engine: it is computed, or its client left. */
  readonly onBegin?: () => void
  /** Called once, when the process has finished with it. `isServed` means completely. */
  readonly onEnd?: (isServed: boolean) => void
}

interface RequestInFlight {
  readonly onEnd: RequestWatch['onEnd']
  /** Undefined until the child has it. */
  open?: Pick<OpenRequest, 'state' | 'isServed' | 'encoding' | 'takeSurvived' | 'receive' | 'fail'>
}

export interface RequestsInFlightOptions {
  readonly modelId: string
  /** Called with the hashes of pictures that were encoded without a crash. */
  readonly onSurvived: (hashes: readonly string[]) => void
}

export class RequestsInFlight {
  readonly #options: RequestsInFlightOptions
  #nextId = 1
  readonly #requests = new Map<number, RequestInFlight>()
  readonly #statsWaiters = new Map<number, (stats: EngineStats | undefined) => void>()
  #child: EngineChild | undefined
  #lastEnd = 'it was not there yet'

  constructor(options: RequestsInFlightOptions) {
    this.#options = options
  }

  /** See `EngineProcess.run`. */
  async *run<Asked extends Work>(
    work: Asked,
    { accountId, signal, meter, trace }: RequestContext,
    { onBegin, onEnd }: RequestWatch,
  ): AsyncGenerator<WorkEvent<Asked['kind']>> {
    const child = this.#child
    const id = this.#nextId++
    const request: RequestInFlight = { onEnd }
    this.#requests.set(id, request)
    try {
      if (child === undefined) throw this.#notGiven()
      await sendPacked(work, (bytes) => child.send({ type: 'packed', id, bytes }))
      if (signal.aborted) {
        child.send({ type: 'cancel', id })
        throw signal.reason
      }
      if (this.#child !== child) throw this.#notGiven()
      const send = child.send.bind(child)
      const open = new OpenRequest<WorkEvent<Asked['kind']>>({ id, meter, send, onBegin })
      request.open = open
      child.send({ type: 'run', id, accountId, work: withoutPacked(work), ...(trace !== undefined && { trace }) })
      yield* open.events(signal)
    } finally {
      this.#forget(id)
    }
  }

  get isEmpty(): boolean {
    return this.#requests.size === 0
  }

  get running(): number {
    return [...this.#requests.values()].filter(({ open }) => open?.state === 'running').length
  }

  /** Hashes of pictures that the child decodes or encodes now. */
  get encoding(): readonly string[] {
    return [...this.#requests.values()].flatMap(({ open }) => open?.encoding ?? [])
  }

  /** Returns the engine's own counters; undefined without a child, or if it ends before it answers. */
  async stats(): Promise<EngineStats | undefined> {
    const child = this.#child
    if (child === undefined) return undefined
    const id = this.#nextId++
    return new Promise((resolve) => {
      this.#statsWaiters.set(id, resolve)
      child.send({ type: 'stats', id })
    })
  }

  /** Connects a child that has the model loaded: requests go there. */
  connect(child: EngineChild): void {
    this.#child = child
  }

  /** Ends all requests, and later ones, with `EngineEnded`. If the operator gave the process up, they fail instead. */
  disconnect(reason: string, cause: EndCause): void {
    this.#child = undefined
    this.#lastEnd = reason
    const facts = { wasGiven: true, isSuspect: cause !== 'asked', isCrash: cause === 'crash' }
    for (const [id, { open }] of this.#requests) {
      if (open === undefined) continue
      const wasEncoding = open.encoding.length > 0
      const failure = engineFailed(this.#options.modelId, reason, wasEncoding)
      open.fail(cause === 'given-up' ? failure : new EngineEnded(failure, { ...facts, wasEncoding }))
      this.#forget(id)
    }
    for (const resolve of this.#statsWaiters.values()) resolve(undefined)
    this.#statsWaiters.clear()
  }

  /** Takes a message of the child. Requests that have ended get nothing more. */
  receive(message: RequestMessage): void {
    if (message.type === 'stats') {
      this.#statsWaiters.get(message.id)?.(message.stats)
      this.#statsWaiters.delete(message.id)
      return
    }
    for (const item of message.events) {
      const open = this.#requests.get(item.id)?.open
      open?.receive(item)
      const survived = open?.takeSurvived() ?? []
      if (survived.length > 0) this.#options.onSurvived(survived)
      if (open?.state === 'ended') this.#forget(item.id)
    }
  }

  #notGiven(): EngineEnded {
    const facts = { wasGiven: false, isSuspect: false, isCrash: false, wasEncoding: false }
    return new EngineEnded(engineFailed(this.#options.modelId, this.#lastEnd), facts)
  }

  #forget(id: number): void {
    const request = this.#requests.get(id)
    this.#requests.delete(id)
    request?.onEnd?.(request.open?.isServed === true)
  }
}
