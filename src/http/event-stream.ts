import { eventFrame } from '../wire/sse-frame.ts'

/** Most occurrences queued for a slow client. */
const maximumWaiting = 256

/** Reason for ending a stream. Pages reopen it only after `stopping`. */
export type Goodbye = 'signed_out' | 'too_many_streams' | 'stopping'

/**
 * Send queue of one event stream. It holds the latest value of each state and a bounded number of occurrences, so that
 * a slow client costs little memory.
 */
export class EventStream {
  /** Unsent states by event and key. */
  readonly #states = new Map<string, { readonly event: string; readonly data: unknown }>()
  #occurrences: { readonly event: string; readonly data: object }[] = []
  readonly #skipped = new Map<string, number>()
  #last: string | undefined
  #isPinged = false
  #isOver = false
  #wake: () => void = () => undefined

  /** Queues a state, replacing an unsent one of the same key. Each event is complete by itself. */
  set(event: string, data: unknown, key = ''): void {
    if (this.#isOver) return
    const name = `${event}\n${key}`
    this.#states.delete(name)
    this.#states.set(name, { event, data })
    this.#wake()
  }

  /**
   * Queues an occurrence. If too many wait, the oldest is dropped, and the next of its name counts it in the field
   * `skipped`.
   */
  add(event: string, data: object): void {
    if (this.#isOver) return
    this.#occurrences.push({ event, data })
    if (this.#occurrences.length > maximumWaiting) this.#skip()
    this.#wake()
  }

  #skip(): void {
    const dropped = this.#occurrences.shift()
    if (dropped !== undefined) this.#skipped.set(dropped.event, (this.#skipped.get(dropped.event) ?? 0) + 1)
  }

  /** Sends a comment if nothing else waits, so that proxies and the page see that the connection lives. */
  ping(): void {
    this.#isPinged = true
    this.#wake()
  }

  /** Ends the stream after the queued events; later ones are dropped. With a reason, the last event is `event: bye`. */
  end(goodbye?: Goodbye): void {
    if (this.#isOver) return
    this.#isOver = true
    if (goodbye !== undefined) this.#last = eventFrame('bye', { reason: goodbye })
    this.#wake()
  }

  /** Resolves with all queued frames once there are any. Empty means that the stream has ended. */
  async take(): Promise<readonly string[]> {
    while (true) {
      const frames = this.#drain()
      if (frames.length > 0 || this.#isOver) return frames
      await new Promise<void>((resolve) => {
        this.#wake = resolve
      })
    }
  }

  #drain(): string[] {
    const states = [...this.#states.values()].map(({ event, data }) => eventFrame(event, data))
    const occurrences = this.#occurrences.map(({ event, data }) => {
      const skipped = this.#skipped.get(event)
      this.#skipped.delete(event)
      return eventFrame(event, skipped === undefined ? data : { ...data, skipped })
    })
    const frames = [...states, ...occurrences]
    if (frames.length === 0 && this.#isPinged) frames.push(': ping\n\n')
    if (this.#last !== undefined) frames.push(this.#last)
    this.#states.clear()
    this.#occurrences = []
    this.#last = undefined
    this.#isPinged = false
    return frames
  }
}
