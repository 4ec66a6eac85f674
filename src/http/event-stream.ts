import { eventFrame } from '../wire/sse-frame.ts'

/** Occurrences that wait for a client that reads slowly. */
const maximumWaiting = 256

/** Why the server ends a stream; a page opens it again after none of them but `stopping`. */
export type Goodbye = 'signed_out' | 'too_many_streams' | 'stopping'

/**
 * What waits to be sent on one event stream of a page. It holds the latest value of each state and a bounded number of
 * occurrences, so that a client that reads slowly costs no memory.
 */
export class EventStream {
  /** By event and key. */
  readonly #states = new Map<string, { readonly event: string; readonly data: unknown }>()
  #occurrences: { readonly event: string; readonly data: object }[] = []
  readonly #skipped = new Map<string, number>()
  #last: string | undefined
  #isPinged = false
  #isOver = false
  #wake: () => void = () => undefined

  /** A state: it replaces the one of the same key that was not sent yet. Each event is whole in itself. */
  set(event: string, data: unknown, key = ''): void {
    if (this.#isOver) return
    const name = `${event}\n${key}`
    this.#states.delete(name)
    this.#states.set(name, { event, data })
    this.#wake()
  }

  /** An occurrence. Where too many wait, the oldest is dropped, and the next of its name counts it in the field `skipped`. */
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

  /** Ends the stream after what waits; what is put in later is not sent. With a reason, `event: bye` is its last event. */
  end(goodbye?: Goodbye): void {
    if (this.#isOver) return
    this.#isOver = true
    if (goodbye !== undefined) this.#last = eventFrame('bye', { reason: goodbye })
    this.#wake()
  }

  /** All frames that wait; resolves when there are some. None: the stream is over. */
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
