/** All conversations of the account in this browser, and the one that the page shows. */
import { signal } from '@preact/signals'
import { alarm } from '../../../parts/announce.tsx'
import { texts } from '../../../texts/texts.ts'
import { newId } from '../conversation.ts'
import { readFile, writeAllFile, writeFile } from '../conversation-file.ts'
import { Chat } from '../conversation-state.ts'
import type { Undo } from '../undo.ts'
import { type ChatNews, ChatStore } from './chat-store.ts'
import { keepChat } from './keep-chat.ts'
import { readSetup } from './new-setup.ts'
import { changedExchanges, toChat } from './read-chat.ts'
import { type ConversationRecord, textsOf, withId } from './records.ts'

/** Name of this tab's conversation in its memory, so that a reload shows it again. */
const shownName = 'inferd-chat-shown'

export class Chats {
  readonly list = signal<readonly ConversationRecord[]>([])
  readonly shown = signal(new Chat())
  /** Unsent text of the shown conversation when it was opened. */
  draft = ''
  readonly undo = signal<Undo | undefined>(undefined)
  /** True if the browser keeps conversations. */
  readonly isKept: boolean
  readonly #store: ChatStore | undefined
  /** Conversations that are shown or still running, each with the end of its writing. */
  readonly #open = new Map<Chat, () => void>()

  private constructor(store: ChatStore | undefined) {
    this.#store = store
    this.isKept = store !== undefined
    if (store === undefined) return
    store.onNews = (news) => void this.#hear(news)
    store.onList = () => void this.#load()
  }

  /** Opens the account's conversations and shows the one that this tab showed last. Never rejects. */
  static async open(account: string): Promise<Chats> {
    const store = await ChatStore.open(account).catch(() => undefined)
    const chats = new Chats(store)
    const id = Number(sessionStorage.getItem(shownName))
    await Promise.all([chats.#load(), id > 0 ? chats.open(id) : chats.begin()])
    void store?.tidy().catch(() => undefined)
    return chats
  }

  /** Stops all requests and ends the writing. */
  close(): void {
    for (const [chat, end] of this.#open) {
      chat.stop()
      end()
    }
    this.#open.clear()
    this.#store?.close()
  }

  /** Shows a new conversation with the models and settings of the one shown before. */
  async begin(): Promise<void> {
    const chat = new Chat()
    chat.models.value = this.shown.peek().models.peek()
    readSetup(chat)
    await this.#show(chat, 0)
  }

  /** Shows a conversation. Shows a new one if it was deleted. */
  async open(id: number): Promise<void> {
    const running = [...this.#open.keys()].find((chat) => chat.id === id)
    if (running !== undefined) return this.#show(running, id)
    const kept = await this.#store?.read(id)
    if (kept === undefined) return this.begin()
    const chat = await toChat(kept)
    // A closing tab writes no words.
    const last = kept.exchanges.find((exchange) => exchange.id === kept.conversation.leaf)
    if (last !== undefined) void this.#store?.addWords(id, textsOf(last))
    await this.#show(chat, id)
  }

  /** Returns the ids of conversations that contain the words of a query, in their title or their messages. */
  async search(query: string): Promise<ReadonlySet<number>> {
    return (await this.#store?.search(query)) ?? new Set()
  }

  async rename(id: number, title: string): Promise<void> {
    await this.#store?.change(id, { title, isNamed: true })
  }

  /** Copies a conversation and shows the copy. */
  async duplicate(id: number): Promise<void> {
    const kept = await this.#store?.read(id)
    if (kept === undefined) return
    const copy = withId(kept, newId())
    const title = texts.chat.copyOf(kept.conversation.title)
    await this.#store?.add({ ...copy, conversation: { ...copy.conversation, title, isNamed: true } })
    await this.open(copy.conversation.id)
  }

  /** Deletes a conversation. It can be brought back until the page is left or another one is deleted. */
  async remove(id: number): Promise<void> {
    this.#end(id)
    const kept = await this.#store?.remove(id)
    if (this.shown.peek().id === id) await this.begin()
    if (kept === undefined) return
    this.undo.value = {
      text: texts.chat.undoDelete(kept.conversation.title),
      act: () => {
        this.undo.value = undefined
        void this.#attempt(async () => {
          await this.#store?.add(kept)
          await this.open(id)
        })
      },
    }
  }

  async removeAll(): Promise<void> {
    for (const chat of [...this.#open.keys()]) this.#end(chat.id)
    this.undo.value = undefined
    await this.#store?.removeAll()
    await this.begin()
  }

  /** Returns the text of a file with one conversation, or with all. */
  async file(id?: number): Promise<string> {
    if (id !== undefined) {
      const kept = await this.#store?.read(id)
      return kept === undefined ? '' : writeFile(kept)
    }
    const kept = await Promise.all(this.list.peek().map((conversation) => this.#store?.read(conversation.id)))
    return writeAllFile(kept.filter((one) => one !== undefined))
  }

  /** Adds the conversations of a file and shows the first. Existing ones stay. Rejects if the file holds none. */
  async import(content: string): Promise<number> {
    const read = readFile(content, Date.now())
    const known = new Set(this.list.peek().map(({ id }) => id))
    const added = read.map((kept) => (known.has(kept.conversation.id) ? withId(kept, newId()) : kept))
    for (const kept of added) await this.#store?.add(kept)
    const [first] = added
    if (first !== undefined) await this.open(first.conversation.id)
    return added.length
  }

  /** Keeps the unsent text of the shown conversation. */
  keepDraft(text: string): void {
    const chat = this.shown.peek()
    const count = chat.all.peek().length
    void this.#store?.setDraft(count === 0 ? 0 : chat.id, text).catch(() => undefined)
    // The text of a new conversation was sent as its first message.
    if (count === 1 && text === '') void this.#store?.setDraft(0, '').catch(() => undefined)
  }

  async #show(chat: Chat, draftId: number): Promise<void> {
    this.draft = (await this.#store?.draft(draftId).catch(() => '')) ?? ''
    for (const [other, end] of this.#open) {
      if (other === chat || other.isRunning.peek()) continue
      end()
      this.#open.delete(other)
    }
    if (this.#store !== undefined && !this.#open.has(chat))
      this.#open.set(
        chat,
        keepChat(chat, this.#store, () => alarm(texts.chat.notKept)),
      )
    sessionStorage.setItem(shownName, String(chat.id))
    this.shown.value = chat
  }

  /** Ends the requests and the writing of a conversation. */
  #end(id: number): void {
    for (const [chat, end] of this.#open) {
      if (chat.id !== id) continue
      chat.stop()
      end()
      this.#open.delete(chat)
    }
  }

  async #load(): Promise<void> {
    // A page that is being left has closed its database.
    this.list.value = (await this.#store?.list().catch(() => undefined)) ?? this.list.peek()
  }

  async #hear({ id }: ChatNews): Promise<void> {
    await this.#load()
    const chat = this.shown.peek()
    if (chat.all.peek().length === 0 || (id !== undefined && id !== chat.id)) return
    const kept = await this.#store?.read(chat.id)
    if (kept !== undefined) return chat.merge(await changedExchanges(chat, kept))
    this.#end(chat.id)
    await this.begin()
  }

  async #attempt(act: () => Promise<void>): Promise<void> {
    await act().catch(() => alarm(texts.chat.notKept))
  }
}
