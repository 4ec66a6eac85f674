import { answerBody } from './answer-body.ts'
import { EventStream, type Goodbye } from './event-stream.ts'
import type { Exchange } from './exchange.ts'

type StreamExchange = Pick<Exchange, 'request' | 'limitSilence' | 'outlive'> & {
  readonly observer: Pick<Exchange['observer'], 'isAborted'>
}

const pingMs = 15_000
/** Most streams of one account. Another one closes the oldest. */
const maximumStreams = 16

/** Account and session that a stream belongs to. */
export interface StreamOwner {
  readonly accountId: string
  /** Returns true while the session that opened the stream may read it. */
  readonly isSignedIn: () => boolean
}

/** The event streams that pages have open. Each ends when its session ends and first thing when the server stops. */
export class EventStreams {
  /** The oldest first. */
  readonly #open = new Map<EventStream, StreamOwner>()
  #timer: Timer | undefined
  #isClosed = false

  /**
   * Answers a request with an event stream. `begin` sends the first events and returns a function that is called once
   * when the stream ends.
   */
  answer(exchange: StreamExchange, owner: StreamOwner, begin: (stream: EventStream) => () => void): Response {
    const { signal, method } = exchange.request
    // The runtime answers HEAD when the body ends, which an event stream does not.
    if (method === 'HEAD') return new Response(null, { headers: eventStreamHeaders })
    const stream = new EventStream()
    this.#add(stream, owner)
    const leave = begin(stream)
    // The head of the answer is sent with its first piece.
    stream.ping()
    const end = () => stream.end()
    signal.addEventListener('abort', end, { once: true })
    const body = answerBody(exchange, {
      async write({ send }) {
        for (let frames = await stream.take(); frames.length > 0; frames = await stream.take()) {
          if (signal.aborted) break
          await send(frames)
        }
      },
      end: async () => {
        signal.removeEventListener('abort', end)
        this.#remove(stream)
        leave()
      },
    })
    return new Response(body, { headers: eventStreamHeaders })
  }

  #add(stream: EventStream, owner: StreamOwner): void {
    if (this.#isClosed) stream.end('stopping')
    const own = [...this.#open].filter(([, { accountId }]) => accountId === owner.accountId)
    for (const [oldest] of own.slice(0, Math.max(0, own.length + 1 - maximumStreams)))
      this.#end(oldest, 'too_many_streams')
    this.#open.set(stream, owner)
    this.#timer ??= setInterval(() => {
      this.recheck()
      for (const each of this.#open.keys()) each.ping()
    }, pingMs).unref()
  }

  /** Ends the streams of sessions that have ended. */
  recheck(): void {
    for (const [stream, { isSignedIn }] of this.#open) if (!isSignedIn()) this.#end(stream, 'signed_out')
  }

  /** Ends all streams, and later ones as soon as they begin. */
  close(): void {
    this.#isClosed = true
    for (const stream of this.#open.keys()) this.#end(stream, 'stopping')
  }

  #end(stream: EventStream, why: Goodbye): void {
    stream.end(why)
    this.#remove(stream)
  }

  #remove(stream: EventStream): void {
    this.#open.delete(stream)
    if (this.#open.size > 0) return
    clearInterval(this.#timer)
    this.#timer = undefined
  }
}

const eventStreamHeaders = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-store',
  'x-accel-buffering': 'no',
}
