/**
 * Conversations of one account in the browser. Every exchange is a record, and other changes read and write within one
 * transaction, so tabs do not overwrite each other's work.
 */
import { type ChatDatabase, ofConversation, openDatabase, storeNames } from './database.ts'
import { DraftStore } from './draft-store.ts'
import { takeEndings, writeEnding } from './endings.ts'
import type { ConversationRecord, EndingRecord, ExchangeRecord, KeptConversation, PictureRecord } from './records.ts'
import { textsOf } from './records.ts'
import { type ChatNews, Tabs } from './tabs.ts'
import { WordCache } from './word-cache.ts'
import { joinedWords, matcher, wordsOf } from './words.ts'

export class ChatStore {
  readonly tabs: Tabs
  readonly drafts: DraftStore
  /** Called after changes by other tabs. */
  onNews: (news: ChatNews) => void = () => undefined
  /** Called after changes of the list of conversations by this tab. */
  onList: () => void = () => undefined
  /** Called when nothing more can be written, such as after an update of the page in another tab. */
  onLost: () => void = () => undefined
  readonly #database: ChatDatabase
  readonly #words: WordCache

  private constructor(database: ChatDatabase, tabs: Tabs) {
    this.#database = database
    this.#words = new WordCache(database)
    this.tabs = tabs
    this.drafts = new DraftStore(database, tabs)
  }

  /** Opens the conversations of an account for a tab. Rejects if the browser keeps none. */
  static async open(account: string, tab: number): Promise<ChatStore> {
    const lost = Promise.withResolvers<void>()
    const store = new ChatStore(await openDatabase(account, lost.resolve), new Tabs(account, tab))
    store.tabs.onNews = (news) => {
      store.#words.forget(news.id)
      store.onNews(news)
    }
    void lost.promise.then(() => store.onLost())
    const { changed, removed } = await takeEndings(store.#database)
    for (const id of changed) store.#tell({ id })
    for (const exchange of removed) await store.removeExchange(exchange)
    return store
  }

  /** Ends after the writes that have begun, of which the other tabs still hear. */
  async close(): Promise<void> {
    this.tabs.leave()
    try {
      // It waits for all transactions before it.
      const last = this.#database.transaction(storeNames, 'readwrite')
      this.#database.close()
      await last.done
    } catch {
      // The database is already lost.
    }
    this.tabs.close()
  }

  /** Returns all conversations, the last changed first. */
  async list(): Promise<ConversationRecord[]> {
    const all = await this.#database.getAll('conversations')
    return all.sort((one, other) => other.changedAtMs - one.changedAtMs || other.id - one.id)
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

  /** Returns the exchanges of a conversation without their pictures. */
  exchanges(id: number): Promise<ExchangeRecord[]> {
    return this.#database.getAll('exchanges', ofConversation(id))
  }

  /** Returns the ids of conversations whose messages contain every word of the query. */
  async search(query: string): Promise<ReadonlySet<number>> {
    const words = await this.#words.read()
    const matches = matcher(query)
    return new Set([...words].flatMap(([id, text]) => (matches(text) ? [id] : [])))
  }

  /** Adds conversations, all or none. What is already there stays; of the others the missing exchanges are added. */
  async add(conversations: readonly KeptConversation[]): Promise<void> {
    const transaction = this.#database.transaction(storeNames, 'readwrite')
    const store = transaction.objectStore.bind(transaction)
    for (const { conversation, exchanges, pictures } of conversations) {
      const { id } = conversation
      const [before, known, words = ''] = await Promise.all([
        store('conversations').get(id),
        store('exchanges').getAllKeys(ofConversation(id)),
        store('words').get(id),
      ])
      const isKnown = new Set(known.map(([, exchange]) => exchange))
      const added = exchanges.filter((exchange) => !isKnown.has(exchange.id))
      const named = new Set(added.flatMap((exchange) => exchange.pictures.map((picture) => picture.id)))
      await Promise.all([
        ...(before === undefined ? [store('conversations').put(conversation)] : []),
        ...added.map((exchange) => store('exchanges').put(exchange)),
        ...pictures.flatMap((picture) => (named.has(picture.id) ? [store('pictures').put(picture)] : [])),
        store('words').put(joinedWords(words, wordsOf(added.flatMap(textsOf))), id),
      ])
    }
    await transaction.done
    this.#tell({})
  }

  /** Changes fields of a conversation. Does nothing if it was deleted. */
  async change(id: number, changes: Partial<Omit<ConversationRecord, 'id'>>): Promise<void> {
    const transaction = this.#database.transaction('conversations', 'readwrite')
    const before = await transaction.store.get(id)
    if (before !== undefined) await transaction.store.put({ ...before, ...changes })
    await transaction.done
    this.#tell({ id }, { isOfList: 'title' in changes || 'changedAtMs' in changes })
  }

  /** Writes an exchange while the page closes. The next opening takes it into its conversation. */
  async leave(ending: EndingRecord): Promise<void> {
    await writeEnding(this.#database, ending)
  }

  /**
   * Writes one exchange with its new pictures, unless its conversation was deleted or it was removed elsewhere.
   * `isBack` is true if it was removed and is brought back.
   */
  async putExchange(
    exchange: ExchangeRecord,
    pictures: readonly PictureRecord[] = [],
    { isBack = false } = {},
  ): Promise<void> {
    const { conversation: id } = exchange
    const transaction = this.#database.transaction(['conversations', 'exchanges', 'pictures'], 'readwrite')
    const exchanges = transaction.objectStore('exchanges')
    const [conversation, before] = await Promise.all([
      transaction.objectStore('conversations').getKey(id),
      exchanges.get([id, exchange.id]),
    ])
    if (conversation === undefined || (before?.isRemoved === true && !isBack)) return
    await Promise.all([
      exchanges.put(exchange),
      ...pictures.map((picture) => transaction.objectStore('pictures').put(picture)),
      transaction.done,
    ])
    this.#tell({ id }, { isOfList: false })
  }

  /** Writes the words of new text of a conversation, by which it is found from now on. */
  async addWords(id: number, texts: readonly string[]): Promise<void> {
    const transaction = this.#database.transaction(['conversations', 'words'], 'readwrite')
    const words = transaction.objectStore('words')
    const [conversation, before = ''] = await Promise.all([
      transaction.objectStore('conversations').getKey(id),
      words.get(id),
    ])
    const joined = joinedWords(before, wordsOf(texts))
    const isNew = conversation !== undefined && joined !== before
    if (isNew) await words.put(joined, id)
    await transaction.done
    if (isNew) this.#tell({ id }, { isOfList: false })
  }

  /** Forgets the content of an exchange. Its place in the tree stays. */
  async removeExchange(exchange: ExchangeRecord): Promise<void> {
    const { conversation: id } = exchange
    const transaction = this.#database.transaction(['conversations', 'exchanges', 'pictures', 'words'], 'readwrite')
    if ((await transaction.objectStore('conversations').getKey(id)) === undefined) return
    const exchanges = transaction.objectStore('exchanges')
    const { files: _, ...place } = exchange
    await exchanges.put({ ...place, text: '', pictures: [], lostPictures: 0, answers: [], isRemoved: true })
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
    const range = ofConversation(id)
    const [conversation, exchanges, pictures] = await Promise.all([
      transaction.objectStore('conversations').get(id),
      transaction.objectStore('exchanges').getAll(range),
      transaction.objectStore('pictures').getAll(range),
      ...storeNames.map((name) =>
        transaction.objectStore(name).delete(name === 'conversations' || name === 'words' ? id : range),
      ),
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

  /** Tells other tabs of a change, and this one of a change of the list. */
  #tell({ id }: { readonly id?: number }, { isOfList = true } = {}): void {
    this.#words.forget(id)
    this.tabs.tell({ ...(id !== undefined && { id }), isOfList })
    if (isOfList) this.onList()
  }
}
