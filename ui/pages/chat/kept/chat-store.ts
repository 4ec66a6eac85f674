/**
 * Conversations of one account in the browser. Every exchange is a record, and other changes read and write within one
 * transaction, so tabs do not overwrite each other's work.
 */
import { type ChatDatabase, ofConversation, openDatabase, storeNames } from './database.ts'
import type { ConversationRecord, ExchangeRecord, KeptConversation, PictureRecord } from './records.ts'
import { textsOf } from './records.ts'
import { WordCache } from './word-cache.ts'
import { joinedWords, matcher, wordsOf } from './words.ts'

/** Change by another tab. Undefined id: any conversation may have changed. */
export interface ChatNews {
  readonly id?: number
}

export class ChatStore {
  readonly #database: ChatDatabase
  readonly #words: WordCache
  readonly #channel: BroadcastChannel
  /** Called after changes of the list of conversations by this tab. */
  onList: () => void = () => undefined

  private constructor(account: string, database: ChatDatabase) {
    this.#database = database
    this.#words = new WordCache(database)
    this.#channel = new BroadcastChannel(`inferd-chats-${account}`)
    this.#channel.onmessage = ({ data }: MessageEvent<ChatNews>) => {
      this.#words.forget(data.id)
      this.onNews(data)
    }
  }

  /** Opens the conversations of an account. Rejects if the browser keeps none. */
  static async open(account: string): Promise<ChatStore> {
    return new ChatStore(account, await openDatabase(account))
  }

  /** Calls back after changes by other tabs. */
  onNews: (news: ChatNews) => void = () => undefined

  close(): void {
    this.#channel.close()
    this.#database.close()
  }

  /** Returns all conversations, the last changed first. */
  async list(): Promise<ConversationRecord[]> {
    const all = await this.#database.getAll('conversations')
    return all.sort((one, other) => other.changedAtMs - one.changedAtMs || other.id - one.id)
  }

  async conversation(id: number): Promise<ConversationRecord | undefined> {
    return this.#database.get('conversations', id)
  }

  /** Returns a whole conversation; undefined if it was deleted. */
  async read(id: number): Promise<KeptConversation | undefined> {
    const transaction = this.#database.transaction(['conversations', 'exchanges', 'pictures'])
    const [conversation, exchanges, pictures] = await Promise.all([
      transaction.objectStore('conversations').get(id),
      transaction.objectStore('exchanges').getAll(ofConversation(id)),
      transaction.objectStore('pictures').getAll(ofConversation(id)),
    ])
    return conversation === undefined ? undefined : { conversation, exchanges, pictures }
  }

  /** Returns the ids of conversations whose messages contain every word of the query. */
  async search(query: string): Promise<ReadonlySet<number>> {
    const words = await this.#words.read()
    const matches = matcher(query)
    return new Set([...words].flatMap(([id, text]) => (matches(text) ? [id] : [])))
  }

  /** Adds or replaces a whole conversation. */
  async add({ conversation, exchanges, pictures }: KeptConversation): Promise<void> {
    const transaction = this.#database.transaction(storeNames, 'readwrite')
    const { id } = conversation
    await Promise.all([
      transaction.objectStore('conversations').put(conversation),
      ...exchanges.map((exchange) => transaction.objectStore('exchanges').put(exchange)),
      ...pictures.map((picture) => transaction.objectStore('pictures').put(picture)),
      transaction.objectStore('words').put(wordsOf(exchanges.flatMap(textsOf)), id),
      transaction.done,
    ])
    this.#tell({ id })
  }

  /** Changes fields of a conversation. Does nothing if it was deleted. */
  async change(id: number, changes: Partial<Omit<ConversationRecord, 'id'>>): Promise<void> {
    const transaction = this.#database.transaction('conversations', 'readwrite')
    const before = await transaction.store.get(id)
    if (before !== undefined) await transaction.store.put({ ...before, ...changes })
    await transaction.done
    this.#tell({ id })
  }

  /** Writes one exchange with its new pictures, at once: also while the page closes. */
  async putExchange(exchange: ExchangeRecord, pictures: readonly PictureRecord[] = []): Promise<void> {
    const transaction = this.#database.transaction(['exchanges', 'pictures'], 'readwrite')
    const written = [
      transaction.objectStore('exchanges').put(exchange),
      ...pictures.map((picture) => transaction.objectStore('pictures').put(picture)),
      transaction.done,
    ]
    transaction.commit()
    await Promise.all(written)
    this.#tell({ id: exchange.conversation }, { isOfList: false })
  }

  /** Writes the words of new text of a conversation, by which it is found from now on. */
  async addWords(id: number, texts: readonly string[]): Promise<void> {
    const transaction = this.#database.transaction('words', 'readwrite')
    const before = (await transaction.store.get(id)) ?? ''
    const words = joinedWords(before, wordsOf(texts))
    if (words !== before) await transaction.store.put(words, id)
    await transaction.done
    if (words !== before) this.#tell({ id }, { isOfList: false })
  }

  /** Forgets the content of an exchange. Its place in the tree stays. */
  async removeExchange(exchange: ExchangeRecord): Promise<void> {
    const { conversation: id } = exchange
    const transaction = this.#database.transaction(['exchanges', 'pictures', 'words'], 'readwrite')
    const exchanges = transaction.objectStore('exchanges')
    await exchanges.put({ ...exchange, text: '', pictures: [], lostPictures: 0, answers: [], isRemoved: true })
    const left = await exchanges.getAll(ofConversation(id))
    const used = new Set(left.flatMap(({ pictures }) => pictures.map((picture) => picture.id)))
    const unused = exchange.pictures.filter((picture) => !used.has(picture.id))
    await Promise.all([
      ...unused.map((picture) => transaction.objectStore('pictures').delete([id, picture.id])),
      transaction.objectStore('words').put(wordsOf(left.flatMap(textsOf)), id),
      transaction.done,
    ])
    this.#tell({ id }, { isOfList: false })
  }

  /** Deletes a conversation. Returns it, so that it can be added again; undefined if there is none. */
  async remove(id: number): Promise<KeptConversation | undefined> {
    const transaction = this.#database.transaction(storeNames, 'readwrite')
    const [conversation, exchanges, pictures] = await Promise.all([
      transaction.objectStore('conversations').get(id),
      transaction.objectStore('exchanges').getAll(ofConversation(id)),
      transaction.objectStore('pictures').getAll(ofConversation(id)),
      transaction.objectStore('conversations').delete(id),
      transaction.objectStore('exchanges').delete(ofConversation(id)),
      transaction.objectStore('pictures').delete(ofConversation(id)),
      transaction.objectStore('words').delete(id),
      transaction.objectStore('drafts').delete(id),
      transaction.done,
    ])
    this.#tell({ id })
    return conversation === undefined ? undefined : { conversation, exchanges, pictures }
  }

  /** Deletes everything of the account in this browser. */
  async removeAll(): Promise<void> {
    const transaction = this.#database.transaction(storeNames, 'readwrite')
    await Promise.all([...storeNames.map((name) => transaction.objectStore(name).clear()), transaction.done])
    this.#tell({})
  }

  /** Deletes content that a tab wrote after another one had deleted the conversation. */
  async tidy(): Promise<void> {
    const transaction = this.#database.transaction(storeNames, 'readwrite')
    const kept = new Set(await transaction.objectStore('conversations').getAllKeys())
    for (const name of ['exchanges', 'pictures'] as const) {
      const keys = await transaction.objectStore(name).getAllKeys()
      for (const id of new Set(keys.map(([conversation]) => conversation)))
        if (!kept.has(id)) await transaction.objectStore(name).delete(ofConversation(id))
    }
    for (const id of await transaction.objectStore('words').getAllKeys())
      if (!kept.has(id)) await transaction.objectStore('words').delete(id)
    await transaction.done
    this.#words.forget()
  }

  /** Returns the unsent text of a conversation. */
  async draft(id: number): Promise<string> {
    return (await this.#database.get('drafts', id)) ?? ''
  }

  async setDraft(id: number, text: string): Promise<void> {
    if (text === '') await this.#database.delete('drafts', id)
    else await this.#database.put('drafts', text, id)
  }

  /** Tells other tabs of a change, and this one of a change of the list. */
  #tell(news: ChatNews, { isOfList = true } = {}): void {
    this.#words.forget(news.id)
    this.#channel.postMessage(news)
    if (isOfList) this.onList()
  }
}
