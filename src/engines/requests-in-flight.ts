/** The requests of one engine: those that wait for its model, and those that its child has. */
import type { InstalledModel } from '../core/model.ts'
import type { Work, WorkEvent } from '../core/work.ts'
import { engineFailed, overloaded } from './engine-errors.ts'
import type { RequestMessage } from './engine-life.ts'
import { OpenRequest } from './open-request.ts'
import { sendPacked, withoutPacked } from './packed-request.ts'
import type { EngineStats } from './protocol.ts'
import type { EngineChild } from './spawn-engine.ts'
import { hasRoom, type WaitingRequest } from './waiting-room.ts'
import type { RequestContext } from './work-engines.ts'

export interface RequestsInFlightOptions {
  readonly modelId: string
  readonly maxWaiting: (model: InstalledModel) => number
  /** Resolves when a child with the model is connected. */
  readonly load: (model: InstalledModel) => Promise<void>
  /** The last request has ended. */
  readonly onIdle: () => void
}

interface RequestInFlight extends WaitingRequest {
  /** From when the child has it. */
  open?: Pick<OpenRequest, 'state' | 'receive' | 'fail'>
}

export class RequestsInFlight {
  readonly #options: RequestsInFlightOptions
  #nextId = 1
  readonly #requests = new Map<number, RequestInFlight>()
  readonly #statsWaiters = new Map<number, (stats: EngineStats | undefined) => void>()
  #child: EngineChild | undefined
  #lastEnd = 'stopped'

  constructor(options: RequestsInFlightOptions) {
    this.#options = options
  }

  /** See `EngineProcess.run`. The model is loaded even when the caller leaves meanwhile. */
  async *run<Asked extends Work>(
    model: InstalledModel,
    work: Asked,
    { accountId, signal, meter }: RequestContext,
  ): AsyncGenerator<WorkEvent<Asked['kind']>> {
    signal.throwIfAborted()
    const { modelId, maxWaiting, load } = this.#options
    const request: RequestInFlight = { accountId, kind: work.kind }
    if (!hasRoom(request, this.#waiting(), maxWaiting(model))) throw overloaded(modelId)
    // Before it counts: an idle engine may reload for it.
    const loaded = load(model)
    const id = this.#nextId++
    this.#requests.set(id, request)
    try {
      await unlessAborted(loaded, signal)
      const child = this.#child
      if (child === undefined) throw engineFailed(modelId, this.#lastEnd)
      await sendPacked(work, (bytes) => child.send({ type: 'packed', id, bytes }))
      if (signal.aborted) {
        child.send({ type: 'cancel', id })
        throw signal.reason
      }
      if (this.#child !== child) throw engineFailed(modelId, this.#lastEnd)
      const open = new OpenRequest<WorkEvent<Asked['kind']>>({ id, meter, send: (message) => child.send(message) })
      request.open = open
      child.send({ type: 'run', id, accountId, work: withoutPacked(work) })
      yield* open.events(signal)
    } finally {
      this.#forget(id)
    }
  }

  isIdle(): boolean {
    return this.#requests.size === 0
  }

  counts(): { readonly running: number; readonly waiting: number } {
    const running = [...this.#requests.values()].filter(({ open }) => open?.state === 'running')
    return { running: running.length, waiting: this.#waiting().length }
  }

  /** The engine's own counters; undefined where there is no child, or it ends before it answers. */
  async stats(): Promise<EngineStats | undefined> {
    const child = this.#child
    if (child === undefined) return undefined
    const id = this.#nextId++
    return new Promise((resolve) => {
      this.#statsWaiters.set(id, resolve)
      child.send({ type: 'stats', id })
    })
  }

  /** `child` has the model loaded: requests go there. */
  connect(child: EngineChild): void {
    this.#child = child
  }

  /** The child has ended: all requests that it had fail. */
  disconnect(reason: string): void {
    this.#child = undefined
    this.#lastEnd = reason
    for (const [id, { open }] of this.#requests) {
      if (open === undefined) continue
      open.fail(engineFailed(this.#options.modelId, reason))
      this.#forget(id)
    }
    for (const resolve of this.#statsWaiters.values()) resolve(undefined)
    this.#statsWaiters.clear()
  }

  /** What the child says. Requests that have ended hear nothing more. */
  receive(message: RequestMessage): void {
    if (message.type === 'stats') {
      this.#statsWaiters.get(message.id)?.(message.stats)
      this.#statsWaiters.delete(message.id)
      return
    }
    for (const item of message.events) {
      const open = this.#requests.get(item.id)?.open
      open?.receive(item)
      if (open?.state === 'ended') this.#forget(item.id)
    }
  }

  #forget(id: number): void {
    if (this.#requests.delete(id) && this.isIdle()) this.#options.onIdle()
  }

  #waiting(): readonly WaitingRequest[] {
    return [...this.#requests.values()].filter(({ open }) => open === undefined || open.state === 'waiting')
  }
}

/** Throws the signal's reason as soon as it aborts. */
async function unlessAborted(loaded: Promise<void>, signal: AbortSignal): Promise<void> {
  const aborted = Promise.withResolvers<never>()
  const abort = () => aborted.reject(signal.reason)
  signal.addEventListener('abort', abort, { once: true })
  try {
    await Promise.race([loaded, aborted.promise])
    signal.throwIfAborted()
  } finally {
    signal.removeEventListener('abort', abort)
  }
}
