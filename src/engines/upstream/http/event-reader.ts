import { ByteLine } from './byte-line.ts'
import { UpstreamFailure } from './failure.ts'

const carriageReturn = 13
const lineFeed = 10
const colon = 58
const space = 32
const byteOrderMark = [0xef, 0xbb, 0xbf]

export interface EventLimits {
  readonly lineBytes: number
  /** Most bytes of data in one event. */
  readonly eventBytes: number
  /** Most bytes of lines without data between two events, such as comments and blank lines. */
  readonly gapBytes: number
}

/**
 * Reads server-sent events from bytes that are cut anywhere, by the HTML standard, and returns the `data` of each.
 * Unlike there, a last event counts without its blank line: servers leave it out.
 */
export class EventReader {
  readonly #limits: EventLimits
  readonly #decoder = new TextDecoder('utf-8', { ignoreBOM: true })
  /** Beginning of an incomplete line. */
  readonly #begun = new ByteLine()
  /** Data of the incomplete event. */
  #data: string[] = []
  #dataBytes = 0
  /** Bytes since the last event. */
  #gapBytes = 0
  #isAfterReturn = false
  #isFirstLine = true
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
    const events: string[] = []
    let from = this.#isAfterReturn && bytes[0] === lineFeed ? 1 : 0
    if (bytes.length > 0) this.#isAfterReturn = false
    let feed = bytes.indexOf(lineFeed, from)
    let carriage = bytes.indexOf(carriageReturn, from)
    while ((feed !== -1 || carriage !== -1) && this.#failure === undefined) {
      const isCarriage = feed === -1 || (carriage !== -1 && carriage < feed)
      const end = isCarriage ? carriage : feed
      this.#endLine(bytes.subarray(from, end), events)
      from = end + 1
      if (isCarriage) {
        this.#isAfterReturn = from === bytes.length
        if (bytes[from] === lineFeed) from++
        carriage = bytes.indexOf(carriageReturn, from)
      }
      if (feed !== -1 && feed < from) feed = bytes.indexOf(lineFeed, from)
    }
    this.#keep(bytes.subarray(from))
    return events
  }

  /** Returns the last event, if its blank line is missing. */
  end(): string[] {
    const events: string[] = []
    if (this.#begun.length > 0) this.#endLine(new Uint8Array(), events)
    if (this.#failure === undefined) this.#endEvent(events)
    return events
  }

  #keep(rest: Uint8Array): void {
    if (this.#failure !== undefined || !this.#isLineWithin(this.#begun.length + rest.length)) return
    this.#begun.add(rest)
  }

  #endLine(rest: Uint8Array, events: string[]): void {
    if (!this.#isLineWithin(this.#begun.length + rest.length)) return
    let line = rest
    if (this.#begun.length > 0) {
      this.#begun.add(rest)
      line = this.#begun.take()
    }
    if (this.#isFirstLine && byteOrderMark.every((byte, index) => line[index] === byte)) line = line.subarray(3)
    this.#isFirstLine = false
    if (isData(line)) this.#addData(line)
    else if (line.length === 0 && this.#data.length > 0) this.#endEvent(events)
    else this.#passOver(line)
  }

  #addData(line: Uint8Array): void {
    this.#dataBytes += line.length
    if (this.#dataBytes > this.#limits.eventBytes) this.#fail('an event', this.#limits.eventBytes)
    else this.#data.push(this.#decoder.decode(line.subarray(line[5] === space ? 6 : 5)))
  }

  #passOver(line: Uint8Array): void {
    this.#gapBytes += line.length + 1
    if (this.#gapBytes > this.#limits.gapBytes) this.#fail('what comes between events', this.#limits.gapBytes)
  }

  #endEvent(events: string[]): void {
    if (this.#data.length > 0) {
      events.push(this.#data.join('\n'))
      this.#gapBytes = 0
    }
    this.#data = []
    this.#dataBytes = 0
  }

  #isLineWithin(bytes: number): boolean {
    if (bytes > this.#limits.lineBytes) this.#fail('a line', this.#limits.lineBytes)
    return this.#failure === undefined
  }

  #fail(what: string, limitBytes: number): void {
    this.#failure ??= new UpstreamFailure('too-large', `${what} of the answer has more than ${limitBytes} bytes`)
  }
}

/** Returns whether the line is `data:` with a value, or `data` alone. */
function isData(line: Uint8Array): boolean {
  const isNamed = line[0] === 100 && line[1] === 97 && line[2] === 116 && line[3] === 97
  return isNamed && (line.length === 4 || line[4] === colon)
}
