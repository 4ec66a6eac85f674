import { UpstreamFailure } from './failure.ts'

interface EventLimits {
  readonly lineBytes: number
  /** Most bytes of data in one event. */
  readonly eventBytes: number
  /** Most bytes of lines without data between two events, such as comments and blank lines. */
  readonly gapBytes: number
}

/**
 * Reads server-sent events, by the HTML standard, from bytes cut anywhere. Returns the `data` of each event. Unlike in
 * the standard, the last event counts even without its blank line, which servers omit. Limits in bytes are applied to
 * characters, of which a text never has more than bytes.
 */
export class EventReader {
  readonly #limits: EventLimits
  /** Decoder, which drops a byte order mark at the beginning. */
  readonly #decoder = new TextDecoder()
  /** Beginning of an incomplete line. */
  #line = ''
  /** Data of the incomplete event. */
  #data: string[] = []
  #dataLength = 0
  /** Characters since the last event. */
  #gapLength = 0
  #isAfterReturn = false
  #failure: UpstreamFailure | undefined

  constructor(limits: EventLimits) {
    this.#limits = limits
  }

  /** Reason why reading stopped: `too-large`. */
  get failure(): UpstreamFailure | undefined {
    return this.#failure
  }

  /** Returns the data of the events that end in these bytes, including those before a failure. */
  read(bytes: Uint8Array): string[] {
    return this.#take(this.#decoder.decode(bytes, { stream: true }))
  }

  /** Returns the last event if its blank line is missing. */
  end(): string[] {
    const missing = this.#line === '' ? '\n' : '\n\n'
    return this.#take(this.#decoder.decode() + missing)
  }

  #take(text: string): string[] {
    const events: string[] = []
    if (text === '' || this.#failure !== undefined) return events
    const lines = (this.#isAfterReturn && text.startsWith('\n') ? text.slice(1) : text).split(/\r\n|\r|\n/)
    this.#isAfterReturn = text.endsWith('\r')
    for (const [index, piece] of lines.entries()) {
      this.#line += piece
      this.#require('a line', this.#line.length, this.#limits.lineBytes)
      if (index < lines.length - 1) this.#endLine(events)
      if (this.#failure !== undefined) break
    }
    return events
  }

  #endLine(events: string[]): void {
    const line = this.#line
    this.#line = ''
    if (line === '' && this.#data.length > 0) {
      events.push(this.#data.join('\n'))
      this.#data = []
      this.#dataLength = 0
      this.#gapLength = 0
    } else if (line === 'data' || line.startsWith('data:')) {
      this.#dataLength += line.length
      this.#require('an event', this.#dataLength, this.#limits.eventBytes)
      this.#data.push(line.slice(line[5] === ' ' ? 6 : 5))
    } else {
      this.#gapLength += line.length + 1
      this.#require('what comes between events', this.#gapLength, this.#limits.gapBytes)
    }
  }

  #require(what: string, length: number, limit: number): void {
    if (length > limit)
      this.#failure ??= new UpstreamFailure('too-large', `${what} of the answer has more than ${limit} bytes`)
  }
}
