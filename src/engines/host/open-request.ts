/**
 * One request between its caller and the engine: its events, its grants, and its end. It ends once: with `finish`, the
 * engine's error, `cancelled`, or the engine's death. If the caller leaves before that, the engine is told at once,
 * and the request stays open until the engine has stopped computing.
 */
import { fromErrorData } from '../../core/errors.ts'
import type { Consumption } from '../../core/usage.ts'
import type { WorkEvent } from '../../core/work.ts'
import type { Engine } from '../protocol/engine.ts'
import type { Grant, RequestEvent } from '../protocol/request-events.ts'
import type { EngineMeter } from '../protocol/work-engines.ts'

interface OpenRequestOptions {
  readonly id: number
  readonly meter: EngineMeter
  readonly engine: Pick<Engine, 'grant' | 'cancel' | 'pause'>
  /** Called when the request stops waiting: its first event has come, or it was given up. */
  readonly onBegin?: (() => void) | undefined
}

/** Unread bytes at which the engine pauses. It continues at half of them. */
const unreadLimitBytes = 1024 * 1024

export class OpenRequest<Event extends WorkEvent = WorkEvent> {
  readonly #options: OpenRequestOptions
  /** Events not yet read by the consumer. */
  #events: Event[] = []
  /** Ends the wait for the next event. */
  #wake: () => void = () => undefined
  /** Error to throw to the consumer after the pending events. */
  #error: unknown
  readonly #ended = Promise.withResolvers<void>()
  #state: 'waiting' | 'running' | 'given-up' | 'ended' = 'waiting'
  /** Total use, as reported by the engine. Undefined before the report. */
  #used: { readonly usage: Consumption; readonly isEstimated: boolean } | undefined
  /** Pending call of the meter; never rejects. */
  #asking: Promise<void> | undefined
  #hasBegun = false
  #encoding: readonly string[] = []
  readonly #encoded = new Set<string>()
  #hasOutput = false
  #isServed = false
  /** Bytes of events that have arrived and are not fully read. */
  #unreadBytes = 0
  #isPaused = false

  constructor(options: OpenRequestOptions) {
    this.#options = options
  }

  get state(): 'waiting' | 'running' | 'given-up' | 'ended' {
    return this.#state
  }

  /** Keys of the request's parts that are being decoded or encoded. */
  get encoding(): readonly string[] {
    return this.#encoding
  }

  /** True if the engine finished the request. */
  get isServed(): boolean {
    return this.#isServed
  }

  /** Returns the keys of parts encoded without a crash, each once. */
  takeSurvived(): readonly string[] {
    if (this.#encoded.size === 0 || !this.#hasOutput) return []
    const survived = [...this.#encoded]
    this.#encoded.clear()
    return survived
  }

  /** Yields until the end. Throws the error that ended the request early, such as the signal's reason. */
  async *events(signal: AbortSignal): AsyncGenerator<Event> {
    const abort = () => this.#giveUp(signal.reason)
    signal.addEventListener('abort', abort, { once: true })
    let isDelivered = false
    try {
      for (let events = await this.#take(); events.length > 0; events = await this.#take()) {
        for (const event of events) {
          if (event.type === 'finish') {
            await this.#asking // a grant that is still being paid for must not come after the settlement
            isDelivered = true
          }
          yield event
          this.#noteUnread(-bytesOf(event))
        }
      }
    } finally {
      signal.removeEventListener('abort', abort)
      this.#giveUp(undefined)
      await this.#ended.promise
      await this.#asking
      if (this.#hasBegun && !isDelivered && this.#used !== undefined) {
        this.#options.meter.cancelled(this.#used.usage, this.#used.isEstimated)
      }
    }
  }

  /** Handles an event of the engine about this request. */
  receive(item: RequestEvent): void {
    if (this.#state === 'ended') return
    if ('event' in item) this.#takeEvent(item.event as Event)
    else if ('prepared' in item) this.#ask((meter) => meter.begin(item.prepared).then((grant) => this.#begin(grant)))
    else if ('wantsGrant' in item) this.#ask((meter) => meter.extend())
    else if ('encoding' in item) this.#noteEncoding(item.encoding)
    else if ('cancelled' in item) this.#end(item.cancelled, item.isEstimated)
    else this.fail(fromErrorData(item.error))
  }

  /** Ends the request with an error and without a charge. */
  fail(error: unknown): void {
    if (this.#state === 'ended') return
    if (this.#state !== 'given-up') this.#error = error
    this.#end()
  }

  /** Returns all events since the last call; waits for the first. Empty after the end. */
  async #take(): Promise<readonly Event[]> {
    if (this.#events.length === 0 && (this.#state === 'waiting' || this.#state === 'running')) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve
      })
    }
    const events = this.#events
    this.#events = []
    if (events.length === 0 && this.#error !== undefined) throw this.#error
    return events
  }

  #takeEvent(event: Event): void {
    if (this.#state === 'waiting') this.#leaveQueue('running')
    if (event.type !== 'start') this.#hasOutput = true
    if (this.#state === 'running') {
      this.#events.push(event)
      this.#noteUnread(bytesOf(event))
      this.#tellMeter(event)
      this.#wake()
    }
    // A `finish` may arrive just after the request was given up. Its usage counts all the same.
    if (event.type !== 'finish') return
    this.#isServed = true
    this.#end(event.usage, event.isEstimated)
  }

  #tellMeter(event: Event): void {
    const { meter } = this.#options
    // A pending grant must not be paid for after the settlement.
    if (event.type === 'finish' && this.#asking !== undefined) void this.#asking.then(() => meter.heard?.(event))
    else meter.heard?.(event)
  }

  #noteEncoding(keys: readonly string[]): void {
    this.#encoding = keys
    for (const key of keys) this.#encoded.add(key)
  }

  #noteUnread(bytes: number): void {
    this.#unreadBytes += bytes
    const isPaused = this.#unreadBytes > (this.#isPaused ? unreadLimitBytes / 2 : unreadLimitBytes)
    if (isPaused === this.#isPaused || this.#state !== 'running') return
    this.#isPaused = isPaused
    this.#options.engine.pause?.(this.#options.id, isPaused)
  }

  #end(usage?: Consumption, isEstimated = false): void {
    this.#state = 'ended'
    this.#used = usage && { usage, isEstimated }
    this.#wake()
    this.#ended.resolve()
  }

  /** Gives the request up. The consumer gets `reason` if it still reads. */
  #giveUp(reason: unknown): void {
    if (this.#state === 'given-up' || this.#state === 'ended') return
    this.#leaveQueue('given-up')
    this.#error = reason
    this.#wake()
    this.#options.engine.cancel(this.#options.id)
  }

  #leaveQueue(state: 'running' | 'given-up'): void {
    const hasWaited = this.#state === 'waiting'
    this.#state = state
    if (hasWaited) this.#options.onBegin?.()
  }

  #ask(question: (meter: EngineMeter) => Promise<Grant>): void {
    const { id, meter, engine } = this.#options
    if (this.#state === 'given-up') return
    const ask = async () => {
      try {
        const grant = await question(meter)
        if (this.#state === 'waiting' || this.#state === 'running') engine.grant(id, grant)
      } catch (error) {
        this.#giveUp(error)
      }
    }
    this.#asking = ask()
  }

  #begin(grant: Grant): Grant {
    this.#hasBegun = true
    return grant
  }
}

/** Returns the size of an event's one potentially large field, in bytes. */
function bytesOf(event: WorkEvent): number {
  return 'bytes' in event ? event.bytes.length : 0
}
