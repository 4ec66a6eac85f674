/** Words of all conversations in memory: reading them from the database takes longer than a search may. */
import type { ChatDatabase } from './database.ts'

export class WordCache {
  readonly #database: ChatDatabase
  #words: Promise<Map<number, string>> | undefined
  readonly #changed = new Set<number>()

  constructor(database: ChatDatabase) {
    this.#database = database
  }

  /** Returns the words by conversation. Reads them all at first, and later only changed ones. */
  async read(): Promise<ReadonlyMap<number, string>> {
    this.#words ??= this.#readAll()
    const words = await this.#words
    const changed = [...this.#changed]
    this.#changed.clear()
    await Promise.all(
      changed.map(async (id) => {
        const text = await this.#database.get('words', id)
        if (text === undefined) words.delete(id)
        else words.set(id, text)
      }),
    )
    return words
  }

  /** Notes that the words of a conversation may have changed; of all, without an id. */
  forget(id?: number): void {
    if (id === undefined) this.#words = undefined
    else if (this.#words !== undefined) this.#changed.add(id)
  }

  async #readAll(): Promise<Map<number, string>> {
    this.#changed.clear()
    const { store } = this.#database.transaction('words')
    const [ids, texts] = await Promise.all([store.getAllKeys(), store.getAll()])
    return new Map(ids.map((id, index) => [id, texts[index] ?? '']))
  }
}
