/** Other tabs with the conversations of the same account. */

/** Change by another tab. Undefined id: any conversation may have changed. */
export interface ChatNews {
  readonly id?: number
  /** True if the list of conversations has changed. */
  readonly isOfList: boolean
}

type Message =
  | { readonly news: ChatNews }
  | { readonly asks: number }
  | { readonly is: number }
  | { readonly ends: number }

export class Tabs {
  /** Number of this tab. */
  readonly id: number
  /** Called after changes by other tabs. */
  onNews: (news: ChatNews) => void = () => undefined
  readonly #others = new Set<number>()
  readonly #channel: BroadcastChannel
  #isClosed = false

  constructor(account: string, id: number) {
    this.id = id
    this.#channel = new BroadcastChannel(`inferd-chats-${account}`)
    this.#channel.onmessage = ({ data }: MessageEvent<Message>) => this.#hear(data)
    this.begin()
  }

  /** Makes this tab known to the others, and the others to this tab. */
  begin(): void {
    this.#post({ asks: this.id })
  }

  /** Tells the other tabs that this one ends. */
  leave(): void {
    this.#post({ ends: this.id })
  }

  close(): void {
    this.#isClosed = true
    this.#channel.close()
  }

  tell(news: ChatNews): void {
    this.#post({ news })
  }

  /** Tells whether another tab is open. One that opened a moment ago may not be known yet. */
  isOpen(id: number): boolean {
    return this.#others.has(id)
  }

  #hear(message: Message): void {
    if ('news' in message) this.onNews(message.news)
    else if ('ends' in message) this.#others.delete(message.ends)
    else {
      this.#others.add('asks' in message ? message.asks : message.is)
      if ('asks' in message) this.#post({ is: this.id })
    }
  }

  #post(message: Message): void {
    if (!this.#isClosed) this.#channel.postMessage(message)
  }
}
