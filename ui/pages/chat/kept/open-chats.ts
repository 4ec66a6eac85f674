/** Conversations that this tab shows or still receives answers for: written as they change, and kept up to date. */
import type { Chat } from '../conversation-state.ts'
import type { ChatStore } from './chat-store.ts'
import { growthEndMs } from './exchange-record.ts'
import { ChatKeeper } from './keep-chat.ts'
import { changedExchanges, isElsewhere } from './read-chat.ts'
import type { ConversationRecord } from './records.ts'

interface Events {
  /** Called when a conversation could not be written. */
  readonly onFailure: () => void
  /** Called when another tab has deleted the conversation. */
  readonly onDeleted: (chat: Chat) => void
}

export class OpenChats {
  readonly #store: ChatStore
  readonly #events: Events
  readonly #keepers = new Map<number, ChatKeeper>()
  #reading = Promise.resolve()
  #growing: ReturnType<typeof setTimeout> | undefined

  constructor(store: ChatStore, events: Events) {
    this.#store = store
    this.#events = events
    addEventListener('pagehide', this.#leave)
    addEventListener('pageshow', this.#comeBack)
    document.addEventListener('visibilitychange', this.#saveRunning)
  }

  find(id: number): Chat | undefined {
    return this.#keepers.get(id)?.chat
  }

  /** Keeps a conversation that is shown from now on. Ends others, but for those that still receive answers. */
  show(chat: Chat, stored: ConversationRecord | undefined): void {
    for (const keeper of this.#keepers.values())
      if (keeper.chat !== chat && !keeper.chat.isRunning.peek()) this.#endOne(keeper)
    if (!this.#keepers.has(chat.id))
      this.#keepers.set(chat.id, new ChatKeeper(chat, stored, this.#store, this.#events.onFailure))
    this.#watchGrowing()
  }

  /** Ends the requests and the writing of a conversation; of all, without an id. */
  end(id?: number): void {
    for (const keeper of this.#keepers.values()) {
      if (id !== undefined && keeper.chat.id !== id) continue
      this.#endOne(keeper)
      keeper.chat.stop()
    }
  }

  /** Writes again what could not be written, such as after others made room. */
  save(): void {
    for (const keeper of this.#keepers.values()) keeper.save()
  }

  /** Takes over what other tabs have changed in a conversation; in all, without an id. */
  update(id?: number): Promise<void> {
    const update = async () => {
      for (const keeper of this.#keepers.values())
        if (id === undefined || keeper.chat.id === id) await this.#updateOne(keeper)
      this.#watchGrowing()
    }
    // One after the other, so that older news never follow newer ones.
    this.#reading = this.#reading.then(update).catch(() => undefined)
    return this.#reading
  }

  close(): void {
    this.end()
    clearTimeout(this.#growing)
    removeEventListener('pagehide', this.#leave)
    removeEventListener('pageshow', this.#comeBack)
    document.removeEventListener('visibilitychange', this.#saveRunning)
  }

  #endOne(keeper: ChatKeeper): void {
    keeper.end()
    this.#keepers.delete(keeper.chat.id)
  }

  async #updateOne(keeper: ChatKeeper): Promise<void> {
    const { chat } = keeper
    while (chat.all.peek().length > 0 && this.#keepers.has(chat.id)) {
      const { changes } = keeper
      const kept = await this.#store.read(chat.id)
      if (kept === undefined) {
        // The first message may be on its way into the database.
        if (keeper.changes !== changes || !keeper.isStored) return
        this.end(chat.id)
        return this.#events.onDeleted(chat)
      }
      const changed = await changedExchanges(chat, kept)
      // This tab has changed something meanwhile, which must not be lost.
      if (keeper.changes !== changes) continue
      chat.merge(changed)
      keeper.takeOver(kept.conversation)
      return
    }
  }

  /** Looks again after a while if another tab receives an answer: that tab may end without a word. */
  #watchGrowing(): void {
    clearTimeout(this.#growing)
    const chats = [...this.#keepers.values()].map(({ chat }) => chat)
    if (chats.some((chat) => chat.all.peek().some(isElsewhere)))
      this.#growing = setTimeout(() => void this.update(), growthEndMs)
  }

  readonly #leave = () => {
    for (const keeper of this.#keepers.values()) keeper.leave()
  }

  readonly #comeBack = () => {
    for (const keeper of this.#keepers.values()) keeper.comeBack()
  }

  readonly #saveRunning = () => {
    for (const keeper of this.#keepers.values()) keeper.saveRunning()
  }
}
