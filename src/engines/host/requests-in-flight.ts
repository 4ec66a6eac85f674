/** Requests of one engine, from sending until their end. */
import { ApiError } from '../../core/errors.ts'
import type { Work, WorkEvent, WorkKind } from '../../core/work.ts'
import type { Engine } from '../protocol/engine.ts'
import type { RequestEvent } from '../protocol/request-events.ts'
import type { RequestContext } from '../protocol/work-engines.ts'
import { engineFailed } from '../shared/engine-errors.ts'
import type { EndCause } from './exit-reason.ts'
import { OpenRequest } from './open-request.ts'
import { EngineEnded } from './outlive-engine.ts'

/** Callbacks about a request's progress in the engine. */
export interface RequestWatch {
  /**
   * Called at most once, when the request no longer waits for the engine: its computation began, or its client left.
   */
  readonly onBegin?: () => void
  /**
   * Called once, when the engine has finished with the request, though its last events may be unread. `isServed`: it
   * was completed.
   */
  readonly onEnd?: (isServed: boolean) => void
}

interface RequestInFlight {
  readonly onEnd: RequestWatch['onEnd']
  /** Undefined until the engine has the request. */
  open?: Pick<OpenRequest, 'state' | 'isServed' | 'encoding' | 'takeSurvived' | 'receive' | 'fail'>
}

/** Loaded engine from the view of requests, in this process or another. */
export interface ReachedEngine extends Pick<Engine, 'run' | 'grant' | 'cancel' | 'pause'> {
  /** Sends the large fields of a request ahead of it. Resolves once the request itself may be sent. */
  sendAhead(id: number, work: Work): Promise<void>
}

interface RequestsInFlightOptions {
  readonly modelId: string
  /** Kinds of work that the engine does. */
  readonly work: readonly WorkKind[]
  /** Noun for the parts of requests that it encodes; absent if it encodes none. */
  readonly encodes?: string | undefined
  /** Called with the keys of parts that were encoded without a crash. */
  readonly onSurvived: (keys: readonly string[]) => void
}

export class RequestsInFlight {
  readonly #options: RequestsInFlightOptions
  #nextId = 1
  readonly #requests = new Map<number, RequestInFlight>()
  #engine: ReachedEngine | undefined
  #onEmpty: () => void = () => undefined
  #lastEnd = 'it was not there yet'

  constructor(options: RequestsInFlightOptions) {
    this.#options = options
  }

  /** See `HostedEngine.run`. */
  async *run<Asked extends Work>(
    work: Asked,
    { accountId, signal, meter, trace }: RequestContext,
    { onBegin, onEnd }: RequestWatch,
  ): AsyncGenerator<WorkEvent<Asked['kind']>> {
    const engine = this.#engine
    const id = this.#nextId++
    const request: RequestInFlight = { onEnd }
    this.#requests.set(id, request)
    try {
      if (engine === undefined) throw this.#notGiven()
      // Manifests with a model type unfit for their engine were refused earlier, so this is a bug; it must not leave a
      // client waiting.
      if (!this.#options.work.includes(work.kind))
        throw new ApiError('internal', `this engine cannot ${work.kind}`, { code: 'internal_error' })
      await engine.sendAhead(id, work)
      if (signal.aborted) {
        engine.cancel(id)
        throw signal.reason
      }
      if (this.#engine !== engine) throw this.#notGiven()
      const open = new OpenRequest<WorkEvent<Asked['kind']>>({ id, meter, engine, onBegin })
      request.open = open
      engine.run(id, accountId, work, trace)
      yield* open.events(signal)
    } finally {
      this.#forget(id)
    }
  }

  get running(): number {
    return [...this.#requests.values()].filter(({ open }) => open?.state === 'running').length
  }

  /** Returns the keys of parts that the engine is decoding or encoding. */
  get encoding(): readonly string[] {
    return [...this.#requests.values()].flatMap(({ open }) => open?.encoding ?? [])
  }

  /** Returns the noun for the parts that it is encoding; undefined while it encodes none. */
  get encodes(): string | undefined {
    return this.encoding.length > 0 ? this.#options.encodes : undefined
  }

  /** Connects the loaded engine: requests go there. */
  connect(engine: ReachedEngine): void {
    this.#engine = engine
  }

  /** Calls back once no requests are left, after a request that has just been admitted. */
  whenEmpty(callback: () => void): void {
    this.#onEmpty = callback
    setImmediate(() => this.#tellIfEmpty())
  }

  /** Ends all requests, and later ones, with `EngineEnded`. If an operator gave the process up, they fail instead. */
  disconnect(reason: string, cause: EndCause): void {
    this.#engine = undefined
    this.#lastEnd = reason
    const facts = { wasGiven: true, isSuspect: cause !== 'asked', isCrash: cause === 'crash' }
    for (const [id, { open }] of this.#requests) {
      if (open === undefined) continue
      const encoding = open.encoding.length > 0 ? this.#options.encodes : undefined
      const failure = engineFailed(this.#options.modelId, reason, encoding)
      open.fail(cause === 'given-up' ? failure : new EngineEnded(failure, { ...facts, encoding }))
      this.#forget(id)
    }
  }

  /** Delivers events of the engine. Drops events of ended requests. */
  receive(events: readonly RequestEvent[]): void {
    for (const item of events) {
      const open = this.#requests.get(item.id)?.open
      open?.receive(item)
      const survived = open?.takeSurvived() ?? []
      if (survived.length > 0) this.#options.onSurvived(survived)
      if (open?.state === 'ended') this.#forget(item.id)
    }
  }

  #notGiven(): EngineEnded {
    const facts = { wasGiven: false, isSuspect: false, isCrash: false, encoding: undefined }
    return new EngineEnded(engineFailed(this.#options.modelId, this.#lastEnd), facts)
  }

  #forget(id: number): void {
    const request = this.#requests.get(id)
    this.#requests.delete(id)
    request?.onEnd?.(request.open?.isServed === true)
    this.#tellIfEmpty()
  }

  #tellIfEmpty(): void {
    if (this.#requests.size === 0) this.#onEmpty()
  }
}
