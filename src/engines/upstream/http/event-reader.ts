import { UpstreamFailure } from './failure.ts'

const carriageReturn = 13
const lineFeed = 10
const colon = 58
const space = 32
const noBytes = new Uint8Array()

export interface EventLimits {
  readonly lineBytes: number
  readonly eventBytes: number
}

/**
 * Reads server-sent events from bytes that arrive cut anywhere, as the HTML standard says, of which it keeps the `data` of
 * each event. Unlike there, a last event without its blank line counts: servers leave it out.
 */
export class EventReader {
  readonly #limits: EventLimits
  readonly #decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
  /** The beginning of a line whose end has not come. */
  #begun: Uint8Array[] = []
  #begunBytes = 0
  /** Of the event that has not ended; undefined before its first `data`. */
  #data: string | undefined
  #eventBytes = 0
  #isAfterReturn = false
  #isFirstLine = true

  constructor(limits: EventLimits) {
    this.#limits = limits
  }

  /** The data of the events that end in these bytes. Throws UpstreamFailure `too-large` and `malformed`. */
  read(bytes: Uint8Array): string[] {
    const events: string[] = []
    let from = 0
    if (this.#isAfterReturn && bytes.length > 0) {
      this.#isAfterReturn = false
      if (bytes[0] === lineFeed) from = 1
    }
    let lf = bytes.indexOf(lineFeed, from)
    let cr = bytes.indexOf(carriageReturn, from)
    while (lf !== -1 || cr !== -1) {
      const end = lf === -1 || (cr !== -1 && cr < lf) ? cr : lf
      this.#endLine(bytes.subarray(from, end), events)
      from = end + 1
      if (end === cr) {
        if (from === bytes.length) this.#isAfterReturn = true
        else if (bytes[from] === lineFeed) from++
        cr = bytes.indexOf(carriageReturn, from)
      }
      if (lf !== -1 && lf < from) lf = bytes.indexOf(lineFeed, from)
    }
    this.#keep(bytes.subarray(from))
    return events
  }

  /** The stream ended as it should. The last event, if its blank line is missing. */
  end(): string[] {
    const events: string[] = []
    if (this.#begunBytes > 0) this.#endLine(noBytes, events)
    this.#endEvent(events)
    return events
  }

  #keep(rest: Uint8Array): void {
    if (rest.length === 0) return
    this.#begunBytes += rest.length
    this.#checkLine(this.#begunBytes)
    // The bytes may be of a buffer that is used again, and a view of few bytes holds all of it.
    this.#begun.push(rest.slice())
  }

  #checkLine(bytes: number): void {
    const { lineBytes, eventBytes } = this.#limits
    if (bytes > lineBytes) throw new UpstreamFailure('too-large', `a line has more than ${lineBytes} bytes`)
    if (this.#eventBytes + bytes > eventBytes) {
      throw new UpstreamFailure('too-large', `an event has more than ${eventBytes} bytes`)
    }
  }

  #endLine(rest: Uint8Array, events: string[]): void {
    let line = rest
    if (this.#begunBytes > 0) {
      line = new Uint8Array(Bun.concatArrayBuffers([...this.#begun, rest]))
      this.#begun = []
      this.#begunBytes = 0
    }
    this.#checkLine(line.length)
    this.#eventBytes += line.length
    if (this.#isFirstLine) {
      this.#isFirstLine = false
      if (line[0] === 0xef && line[1] === 0xbb && line[2] === 0xbf) line = line.subarray(3)
    }
    if (line.length === 0) this.#endEvent(events)
    else this.#readLine(line)
  }

  #endEvent(events: string[]): void {
    if (this.#data !== undefined) events.push(this.#data)
    this.#data = undefined
    this.#eventBytes = 0
  }

  #readLine(line: Uint8Array): void {
    if (!isData(line)) return
    const from = line[5] === space ? 6 : 5
    // Ours after `data`, and at most one of these two spaces.
    const value = this.#decode(line.subarray(from))
    this.#data = this.#data === undefined ? value : `${this.#data}\n${value}`
  }

  #decode(bytes: Uint8Array): string {
    return this.#decoder.decode(bytes)
  }
}

/** `data:` and what follows, or `data` alone. */
function isData(line: Uint8Array): boolean {
  const isNamed = line[0] === 100 && line[1] === 97 && line[2] === 116 && line[3] === 97
  return isNamed && (line.length === 4 || line[4] === colon)
}
