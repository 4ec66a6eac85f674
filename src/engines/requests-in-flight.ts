/** The requests of one engine: those that wait for its model, and those that its child has. */
import { engineFailed, overloaded } from './engine-errors.ts'
import type { EngineMeter } from './meter.ts'
import { OpenRequest } from './open-request.ts'
import { sendPacked, withoutPacked } from './packed-request.ts'
import type { EngineEvent, EngineStats, EngineWork, FromEngine } from './protocol.ts'
import type { EngineChild } from './spawn-engine.ts'
import { hasRoom, type WaitingRequest } from './waiting-room.ts'

/** One request among those of its engine. */
export interface RequestContext {
  readonly accountId: string
  readonly signal: AbortSignal
  readonly meter: EngineMeter
}

export interface RequestsInFlightOptions {
  readonly modelId: string
  readonly maxWaiting: number
  readonly ensureReady: () => Promise<void>
  readonly child: () => EngineChild | undefined
  readonly lastExit: () => string | undefined
}

type AnyOpenRequest = Pick<OpenRequest, 'state' | 'receive' | 'fail'>

export class RequestsInFlight {
  readonly #options: RequestsInFlightOptions
  /** Came while the model is loaded. */
  readonly #waitingForLoad = new Set<WaitingRequest>()
  #nextId = 1
  readonly #requests = new Map<number, WaitingRequest & { readonly open: AnyOpenRequest }>()
  readonly #statsWaiters = new Map<number, (stats: EngineStats | undefined) => void>()

  constructor(options: RequestsInFlightOptions) {
    this.#options = options
  }

  async *run<Event extends EngineEvent>(
    work: EngineWork,
    { accountId, signal, meter }: Omit<RequestContext, 'meter'> & { readonly meter: EngineMeter | undefined },
  ): AsyncGenerator<Event> {
    signal.throwIfAborted()
    const waiting: WaitingRequest = { accountId, type: work.type }
    const { modelId, maxWaiting, lastExit } = this.#options
    if (!hasRoom(waiting, this.#waiting(), maxWaiting)) throw overloaded(modelId)
    await this.#waitUntilReady(waiting, signal)
    signal.throwIfAborted()
    const child = this.#options.child()
    if (child === undefined) throw engineFailed(modelId, lastExit() ?? 'stopped')
    const id = this.#nextId++
    await sendPacked(work.request, (bytes) => child.send({ type: 'packed', id, bytes }))
    if (signal.aborted) {
      child.send({ type: 'cancel', id })
      throw signal.reason
    }
    if (this.#options.child() !== child) throw engineFailed(modelId, lastExit() ?? 'stopped')
    const open = new OpenRequest<Event>({ id, meter, send: (message) => child.send(message) })
    this.#requests.set(id, { ...waiting, open })
    child.send({ ...withoutPacked(work), id, accountId })
    yield* open.events(signal)
  }

  counts(): { readonly running: number; readonly waiting: number } {
    return { running: this.#openIn('running').length, waiting: this.#waiting().length }
  }

  /** The engine's own counters; undefined when the child ends before it answers. */
  async stats(child: EngineChild): Promise<EngineStats | undefined> {
    const id = this.#nextId++
    return new Promise((resolve) => {
      this.#statsWaiters.set(id, resolve)
      child.send({ type: 'stats', id })
    })
  }

  /** What the child says. Requests that have ended hear nothing more. */
  receive(message: Extract<FromEngine, { type: 'stats' | 'events' }>): void {
    if (message.type === 'stats') {
      this.#statsWaiters.get(message.id)?.(message.stats)
      this.#statsWaiters.delete(message.id)
      return
    }
    for (const item of message.events) {
      const open = this.#requests.get(item.id)?.open
      open?.receive(item)
      if (open?.state === 'ended') this.#requests.delete(item.id)
    }
  }

  /** The child has ended: whatever it had fails. */
  fail(reason: string): void {
    for (const { open } of this.#requests.values()) open.fail(engineFailed(this.#options.modelId, reason))
    this.#requests.clear()
    for (const resolve of this.#statsWaiters.values()) resolve(undefined)
    this.#statsWaiters.clear()
  }

  /** Throws the signal's reason as soon as it aborts; the model is loaded all the same. */
  async #waitUntilReady(waiting: WaitingRequest, signal: AbortSignal): Promise<void> {
    const aborted = Promise.withResolvers<never>()
    const abort = () => aborted.reject(signal.reason)
    signal.addEventListener('abort', abort, { once: true })
    this.#waitingForLoad.add(waiting)
    try {
      await Promise.race([this.#options.ensureReady(), aborted.promise])
    } finally {
      this.#waitingForLoad.delete(waiting)
      signal.removeEventListener('abort', abort)
    }
  }

  #waiting(): readonly WaitingRequest[] {
    return [...this.#waitingForLoad, ...this.#openIn('waiting')]
  }

  #openIn(state: OpenRequest['state']): readonly WaitingRequest[] {
    return [...this.#requests.values()].filter(({ open }) => open.state === state)
  }
}
