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
  read(): Promise<ReadonlyMap<number, string>> {
    const before = this.#words
    const changed = [...this.#changed]
    this.#changed.clear()
    const reading = before === undefined ? this.#readAll() : this.#update(before, changed)
    this.#words = reading
    // After a failure, the next search reads them all again.
    reading.catch(() => {
      if (this.#words === reading) this.#words = undefined
    })
    return reading
  }

  /** Notes that the words of a conversation may have changed; of all, without an id. */
  forget(id?: number): void {
    if (id === undefined) this.#words = undefined
    else this.#changed.add(id)
  }

  async #readAll(): Promise<Map<number, string>> {
    const { store } = this.#database.transaction('words')
    const [ids, texts] = await Promise.all([store.getAllKeys(), store.getAll()])
    return new Map(ids.map((id, index) => [id, texts[index] ?? '']))
  }

  async #update(before: Promise<Map<number, string>>, changed: readonly number[]): Promise<Map<number, string>> {
    const words = await before
    await Promise.all(
      changed.map(async (id) => {
        const text = await this.#database.get('words', id)
        if (text === undefined) words.delete(id)
        else words.set(id, text)
      }),
    )
    return words
  }
}
