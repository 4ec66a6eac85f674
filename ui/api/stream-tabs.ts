/**
 * Shares the event streams among the tabs of this browser. HTTP/1.1 gives a browser six connections per host for all
 * tabs: a stream in each tab would leave none for anything else. Each tab that wants a place claims it at once, with
 * the time of its claim. Earlier claims precede later ones, so tabs that claim at the same moment agree. Late answers
 * count too: the tab then gives its place back.
 */
const maximumStreams = 3

interface Claim {
  readonly tab: string
  /** Time of the claim in milliseconds UTC. All tabs of a browser share one clock. */
  readonly sinceMs: number
}

interface Message {
  /** Kind of message. A question requests the claims that precede this one, as answers. */
  readonly kind: 'question' | 'answer'
  readonly claim: Claim
}

/** Part of a BroadcastChannel that tabs use. */
export interface TabChannel {
  onmessage: ((message: MessageEvent) => void) | null
  postMessage(message: Message): void
  close(): void
}

export class StreamTabs {
  readonly #tab = crypto.getRandomValues(new Uint8Array(16)).toHex()
  readonly #channel: TabChannel
  #claim: Claim | undefined
  #lost = new AbortController()
  /** Tabs whose claims precede this tab's */
  readonly #earlier = new Set<string>()

  constructor(channel: TabChannel = new BroadcastChannel('inferd-stream-claims')) {
    this.#channel = channel
    channel.onmessage = ({ data }: { readonly data: Message }) => this.#receive(data)
  }

  /**
   * Claims a place and waits for other tabs' answers. Returns undefined if three tabs have earlier claims, else a
   * signal that aborts when a late answer takes the place away.
   */
  async take(answerWaitMs: number): Promise<AbortSignal | undefined> {
    this.#claim = { tab: this.#tab, sinceMs: Date.now() }
    this.#lost = new AbortController()
    this.#earlier.clear()
    this.#channel.postMessage({ kind: 'question', claim: this.#claim })
    await new Promise((resolve) => setTimeout(resolve, answerWaitMs))
    return this.#lost.signal.aborted ? undefined : this.#lost.signal
  }

  release(): void {
    this.#claim = undefined
  }

  close(): void {
    this.release()
    this.#channel.close()
  }

  #receive({ kind, claim }: Message): void {
    const own = this.#claim
    if (own === undefined) return
    if (goesBefore(claim, own)) {
      this.#earlier.add(claim.tab)
      if (this.#earlier.size < maximumStreams) return
      this.release()
      this.#lost.abort()
    } else if (kind === 'question') this.#channel.postMessage({ kind: 'answer', claim: own })
  }
}

function goesBefore(one: Claim, other: Claim): boolean {
  return one.sinceMs === other.sinceMs ? one.tab < other.tab : one.sinceMs < other.sinceMs
}
