/**
 * How many tabs of this browser hold an event stream. HTTP/1.1 gives a browser six connections to a host, over all tabs:
 * a stream in each of them would leave none for anything else.
 */
const maximumStreams = 3
const answerWaitMs = 100

export class StreamTabs {
  readonly #channel = new BroadcastChannel('inferd-streams')
  #holds = false

  constructor() {
    this.#channel.onmessage = ({ data }) => {
      if (data === 'who' && this.#holds) this.#channel.postMessage('here')
    }
  }

  /** Whether this tab may hold a stream: fewer than three others say that they do. */
  async take(): Promise<boolean> {
    let others = 0
    const count = ({ data }: MessageEvent) => {
      if (data === 'here') others += 1
    }
    this.#channel.addEventListener('message', count)
    this.#channel.postMessage('who')
    await new Promise((resolve) => setTimeout(resolve, answerWaitMs))
    this.#channel.removeEventListener('message', count)
    this.#holds = others < maximumStreams
    return this.#holds
  }

  release(): void {
    this.#holds = false
  }

  close(): void {
    this.#channel.close()
  }
}
