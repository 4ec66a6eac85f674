/**
 * One request between whoever asked for it and the engine child: its events, the grants that pay for it, and its end.
 *
 * It ends once: with `finish`, `encoded` or `done`, the engine's error, `cancelled`, or the child's death. Whoever leaves before
 * that is told to the engine at once, and its end is waited for: until then the engine may be computing.
 */
import type { ChatEvent } from '../core/chat.ts'
import { ApiError } from '../core/errors.ts'
import type { Usage } from '../core/usage.ts'
import { EventQueue } from './event-queue.ts'
import type { EngineMeter } from './meter.ts'
import type { EngineEvent, RequestEvent, ToEngine, TokenGrant } from './protocol.ts'

export interface OpenRequestOptions {
  readonly id: number
  /** None where nothing is generated. */
  readonly meter: EngineMeter | undefined
  /** To the child that has the request. */
  readonly send: (message: ToEngine) => void
}

export class OpenRequest<Event extends EngineEvent = ChatEvent> {
  readonly #options: OpenRequestOptions
  readonly #queue = new EventQueue<Event>()
  readonly #ended = Promise.withResolvers<void>()
  #state: 'waiting' | 'running' | 'given-up' | 'ended' = 'waiting'
  /** What the engine computed, by its last word. */
  #usage: Usage | undefined
  /** The meter's answer that is awaited; never rejects. */
  #asking: Promise<void> | undefined
  #hasBegun = false

  constructor(options: OpenRequestOptions) {
    this.#options = options
  }

  get state(): 'waiting' | 'running' | 'given-up' | 'ended' {
    return this.#state
  }

  /** Yields until the end; throws what ended the request before its time, the signal's reason for instance. */
  async *events(signal: AbortSignal): AsyncGenerator<Event> {
    const abort = () => this.#giveUp(signal.reason)
    signal.addEventListener('abort', abort, { once: true })
    let isDelivered = false
    try {
      for await (const event of this.#queue.drain()) {
        if (isLast(event)) {
          await this.#asking // who settles now must not be overtaken by a grant that is still being paid for
          isDelivered = true
        }
        yield event
      }
    } finally {
      signal.removeEventListener('abort', abort)
      this.#giveUp(undefined)
      await this.#ended.promise
      await this.#asking
      if (this.#hasBegun && !isDelivered && this.#usage !== undefined) this.#options.meter?.cancelled(this.#usage)
    }
  }

  /** Takes what the child says of this request: an engine that was asked to chat has chat events, and so on. */
  receive(item: RequestEvent<EngineEvent>): void {
    if (this.#state === 'ended') return
    if ('event' in item) this.#takeEvent(item.event as Event)
    else if ('prepared' in item) this.#ask((meter) => meter.begin(item.prepared).then((grant) => this.#begin(grant)))
    else if ('wantsGrant' in item) this.#ask((meter) => meter.extend())
    else if ('cancelled' in item) this.#end(item.cancelled)
    else if ('error' in item) {
      const { kind, message, ...details } = item.error
      this.fail(new ApiError(kind, message, details))
    } else this.#end()
  }

  /** It ends without an answer, and nothing of it is worth anything. */
  fail(error: unknown): void {
    if (this.#state === 'ended') return
    this.#queue.fail(error)
    this.#end()
  }

  #takeEvent(event: Event): void {
    if (this.#state === 'waiting') this.#state = 'running'
    if (this.#state === 'running') this.#queue.push(event)
    // It may come when somebody has just left: then too it says what was computed.
    if (isLast(event)) this.#end(event.usage)
  }

  #end(usage?: Usage): void {
    this.#state = 'ended'
    this.#usage = usage
    this.#queue.end()
    this.#ended.resolve()
  }

  /** `reason` is for whoever still listens. */
  #giveUp(reason: unknown): void {
    if (this.#state === 'given-up' || this.#state === 'ended') return
    this.#state = 'given-up'
    this.#queue.fail(reason)
    this.#options.send({ type: 'cancel', id: this.#options.id })
  }

  #ask(question: (meter: EngineMeter) => Promise<TokenGrant>): void {
    const { id, meter, send } = this.#options
    if (meter === undefined || this.#state === 'given-up') return
    const ask = async () => {
      try {
        const grant = await question(meter)
        if (this.#state === 'waiting' || this.#state === 'running') send({ type: 'grant', id, grant })
      } catch (error) {
        this.#giveUp(error)
      }
    }
    this.#asking = ask()
  }

  #begin(grant: TokenGrant): TokenGrant {
    this.#hasBegun = true
    return grant
  }
}

/** The event that says what was computed in all. */
function isLast(event: EngineEvent): event is Extract<EngineEvent, { usage: Usage }> {
  return event.type === 'finish' || event.type === 'encoded'
}
