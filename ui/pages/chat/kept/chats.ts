/** All conversations of the account in this browser, and the one that the page shows. */
import { signal } from '@preact/signals'
import { alarm, announce } from '../../../parts/announce.tsx'
import { texts } from '../../../texts/texts.ts'
import { newId, type Question } from '../conversation.ts'
import { joinFiles, readFile, writeFile } from '../conversation-file.ts'
import { Chat } from '../conversation-state.ts'
import { loadLexer } from '../lexer.ts'
import type { Undo } from '../undo.ts'
import { whenIdle } from '../when-idle.ts'
import { ChatStore } from './chat-store.ts'
import { Drafts, type ReadDraft } from './drafts.ts'
import { bestHit, type ExcerptPart, excerptOf } from './excerpt.ts'
import { readSetup } from './new-setup.ts'
import { OpenChats } from './open-chats.ts'
import { keepSafe, whyNotKept } from './permission.ts'
import { toChat } from './read-chat.ts'
import { type ConversationRecord, type ExchangeRecord, textsOf, withId } from './records.ts'
import { forgetAll, leaveTab, recall, remember, takeTab } from './tab-memory.ts'
import { newestLeaf } from './tree.ts'

/** Place in the shown conversation that a search has found. */
export interface Hit {
  readonly exchange: number
  readonly query: string
}

/** Conversation that is about to be shown. */
interface Showing {
  readonly chat: Chat
  /** Conversation as it is stored. Undefined for a new one. */
  readonly stored?: ConversationRecord | undefined
  readonly draft: Promise<ReadDraft | undefined>
  readonly query?: string
}

export class Chats {
  readonly list = signal<readonly ConversationRecord[]>([])
  readonly shown = signal(new Chat())
  readonly hit = signal<Hit | undefined>(undefined)
  /** The last deletion of a conversation. */
  readonly undo = signal<(Undo & { readonly id: number }) | undefined>(undefined)
  /** Reason for which nothing is kept. Undefined if the browser keeps conversations. */
  readonly problem = signal<string | undefined>(undefined)
  readonly #store: ChatStore | undefined
  readonly #drafts: Drafts
  readonly #open: OpenChats | undefined
  /** Number of the last wish to show a conversation. Slower ones before it are dropped. */
  #turn = 0

  private constructor(store: ChatStore | undefined, tab: number) {
    this.#store = store
    this.#drafts = new Drafts(store?.drafts, tab)
    if (store === undefined) return
    this.#open = new OpenChats(store, {
      onFailure: () => alarm(texts.chat.notKept),
      onDeleted: (chat) => {
        if (chat !== this.shown.peek()) return
        announce(texts.chat.deletedElsewhere)
        void this.begin()
      },
    })
    store.onList = () => void this.#load()
    store.onLost = () => this.#fail(texts.chat.updatedElsewhere)
    store.onNews = ({ id, isOfList }) => {
      if (isOfList) void this.#load()
      void this.#open?.update(id)
    }
    addEventListener('pagehide', this.#leave)
    addEventListener('pageshow', this.#comeBack)
  }

  /** Opens the account's conversations and shows the one that this tab showed last. Never rejects. */
  static async open(account: string): Promise<Chats> {
    const tab = takeTab()
    let problem: string | undefined
    const store = await ChatStore.open(account, tab).catch((error: unknown) => {
      problem = whyNotKept(error)
      return undefined
    })
    const chats = new Chats(store, tab)
    if (problem !== undefined) chats.#fail(problem)
    await Promise.all([chats.#load(), chats.open(Number(recall('shown')))])
    whenIdle(() => {
      void store?.drafts.tidy().catch(() => undefined)
      // The first conversation with answers opens quickly, because their lexer is loaded already.
      void loadLexer().catch(() => undefined)
    })
    return chats
  }

  /** Unsent message of the shown conversation when it was opened. */
  get draft(): Question {
    return this.#drafts.opened
  }

  /** Stops all requests and ends the writing. */
  close(): void {
    this.#turn += 1
    this.#open?.close()
    void this.#store?.close()
    removeEventListener('pagehide', this.#leave)
    removeEventListener('pageshow', this.#comeBack)
  }

  /** Shows a new conversation with the models of the one shown before and the settings of one without messages. */
  async begin(): Promise<void> {
    const turn = this.#takeTurn()
    const chat = new Chat()
    chat.models.value = this.shown.peek().models.peek()
    readSetup(chat)
    await this.#show(turn, { chat, draft: this.#drafts.read(0) })
  }

  /** Shows a conversation, at the place with the words of a query. Shows a new one if it cannot be read. */
  async open(id: number, query = ''): Promise<void> {
    const turn = this.#takeTurn()
    const running = this.#open?.find(id)
    const isNew = running !== undefined && running.all.peek().length === 0
    const draft = this.#drafts.read(isNew ? 0 : id)
    const kept = running === undefined && id > 0 ? await this.#store?.read(id).catch(() => undefined) : undefined
    const chat = running ?? (kept === undefined ? undefined : await toChat(kept).catch(() => undefined))
    if (turn !== this.#turn) return
    if (chat === undefined) {
      if (kept !== undefined) alarm(texts.chat.damaged)
      return this.begin()
    }
    await this.#show(turn, { chat, stored: kept?.conversation, draft, query: isNew ? '' : query })
  }

  /** Returns the ids of conversations whose messages contain the words of a query. */
  async search(query: string): Promise<ReadonlySet<number>> {
    return (await this.#store?.search(query)) ?? new Set()
  }

  /** Returns the surroundings of the words of a query in a conversation. Empty if only its title has them. */
  async excerpt(id: number, query: string): Promise<ExcerptPart[]> {
    const hit = await this.#bestHit(id, query)
    return hit === undefined ? [] : excerptOf(textsOf(hit), query)
  }

  rename(id: number, title: string): Promise<void> {
    return this.#attempt(async () => this.#store?.change(id, { title, isNamed: true }))
  }

  /** Copies a conversation and shows the copy. */
  duplicate(id: number): Promise<void> {
    return this.#attempt(async () => {
      const kept = await this.#store?.read(id)
      if (kept === undefined) return
      const copy = withId(kept, newId())
      const title = texts.chat.copyOf(kept.conversation.title || texts.chat.untitled)
      await this.#store?.add([{ ...copy, conversation: { ...copy.conversation, title, isNamed: true } }])
      await this.open(copy.conversation.id)
    })
  }

  /** Deletes a conversation. It can be brought back until the page is left or another one is deleted. */
  remove(id: number): Promise<void> {
    return this.#attempt(async () => {
      this.#open?.end(id)
      const kept = await this.#store?.remove(id)
      this.#open?.save()
      if (this.shown.peek().id === id) await this.begin()
      if (kept === undefined) return
      const bringBack = async () => {
        await this.#store?.add([kept])
        this.undo.value = undefined
        await this.open(id)
      }
      const text = texts.chat.undoDelete(kept.conversation.title || texts.chat.untitled)
      this.undo.value = { text, id, act: () => void this.#attempt(bringBack) }
    })
  }

  /** Deletes all conversations and drafts of the account. Rejects if the browser refuses. */
  async removeAll(): Promise<void> {
    this.#open?.end()
    this.undo.value = undefined
    await this.#store?.removeAll()
    forgetAll()
    await this.begin()
  }

  /** Returns a file with one conversation, or with all. */
  async file(id?: number): Promise<Blob> {
    const ids = id === undefined ? this.list.peek().map((conversation) => conversation.id) : [id]
    const files: Blob[] = []
    for (const one of ids) {
      const kept = await this.#store?.read(one)
      if (kept !== undefined) files.push(await writeFile(kept))
    }
    return id === undefined ? joinFiles(files) : (files[0] ?? new Blob())
  }

  /**
   * Adds the conversations of a file, shows the first one and returns how many are new. Existing ones get the messages
   * that they lack. Returns undefined if it is no such file.
   */
  async import(content: string): Promise<number | undefined> {
    const read = readFile(content, Date.now())
    if (read === undefined) return undefined
    const known = new Set(this.list.peek().map(({ id }) => id))
    const added = new Set(read.map(({ conversation }) => conversation.id).filter((id) => !known.has(id)))
    await this.#store?.add(read)
    const [first] = read
    if (first !== undefined) {
      await this.#open?.update(first.conversation.id)
      await this.open(first.conversation.id)
    }
    return added.size
  }

  /** Keeps the unsent message of the shown conversation. */
  keepDraft(question: Question): void {
    const chat = this.shown.peek()
    this.#drafts.keep(draftPlace(chat), question)
  }

  /** Returns the number of this wish to show a conversation. */
  #takeTurn(): number {
    this.#turn += 1
    return this.#turn
  }

  async #show(turn: number, { chat, stored, draft, query = '' }: Showing): Promise<void> {
    const hit = query === '' ? undefined : await this.#find(chat, query)
    const unsent = await draft
    if (turn !== this.#turn) return
    this.#drafts.begin(draftPlace(chat), unsent)
    this.#open?.show(chat, stored)
    remember('shown', String(chat.id))
    this.hit.value = hit
    this.shown.value = chat
  }

  /** Finds the words of a query in a conversation, and shows the branch with them. */
  async #find(chat: Chat, query: string): Promise<Hit | undefined> {
    const exchange = (await this.#bestHit(chat.id, query))?.id
    if (exchange === undefined) return undefined
    if (!chat.exchanges.peek().some(({ id }) => id === exchange))
      chat.leaf.value = newestLeaf(chat.branches.peek(), exchange)
    return { exchange, query }
  }

  /** Returns the exchange of a conversation with most words of a query. Undefined also if none can be read. */
  async #bestHit(id: number, query: string): Promise<ExchangeRecord | undefined> {
    return bestHit((await this.#store?.exchanges(id).catch(() => undefined)) ?? [], query)
  }

  async #load(): Promise<void> {
    // A page that is being left has closed its database.
    const list = await this.#store?.list().catch(() => undefined)
    if (list === undefined) return
    if (list.length > 0 && this.list.peek().length === 0) keepSafe()
    this.list.value = list
  }

  async #attempt(act: () => Promise<void>): Promise<void> {
    await act().catch(() => alarm(this.problem.peek() ?? texts.chat.notKept))
  }

  #fail(problem: string): void {
    this.problem.value = problem
    alarm(problem)
  }

  readonly #leave = () => {
    leaveTab()
    this.#store?.tabs.leave()
  }

  readonly #comeBack = ({ persisted }: PageTransitionEvent) => {
    if (!persisted) return
    takeTab()
    this.#store?.tabs.begin()
  }
}

/** Returns the number by which the draft of a conversation is kept: 0 until its first message. */
function draftPlace(chat: Chat): number {
  return chat.all.peek().length === 0 ? 0 : chat.id
}
