/**
 * Exchanges that a closing tab writes. They have a store of their own: in another one, the write would wait for
 * transactions that end with their tab, and would be lost.
 */
import type { ChatDatabase } from './database.ts'
import { type EndingRecord, type ExchangeRecord, textsOf } from './records.ts'
import { joinedWords, wordsOf } from './words.ts'

/** Writes an exchange at once, while the page closes. */
export function writeEnding(database: ChatDatabase, ending: EndingRecord): Promise<unknown> {
  const transaction = database.transaction('endings', 'readwrite')
  const writing = transaction.store.put(ending)
  transaction.commit()
  return Promise.all([writing, transaction.done])
}

interface TakenEndings {
  /** Ids of conversations that have changed. */
  readonly changed: ReadonlySet<number>
  /** Exchanges that are still to be removed. */
  readonly removed: readonly ExchangeRecord[]
}

/** Takes what closed tabs have written into its conversations. */
export async function takeEndings(database: ChatDatabase): Promise<TakenEndings> {
  const changed = new Set<number>()
  const removed: ExchangeRecord[] = []
  if ((await database.count('endings')) === 0) return { changed, removed }
  const names = ['endings', 'conversations', 'exchanges', 'pictures', 'words'] as const
  const transaction = database.transaction(names, 'readwrite')
  const store = transaction.objectStore.bind(transaction)
  for (const { exchange, pictures, conversation } of await store('endings').getAll()) {
    const { conversation: id } = exchange
    if (exchange.isRemoved === true) {
      removed.push(exchange)
      continue
    }
    const [known, before, words = ''] = await Promise.all([
      store('conversations').getKey(id),
      store('exchanges').get([id, exchange.id]),
      store('words').get(id),
    ])
    // The tab has come back and gone on, or another one has deleted it.
    const isOver = before !== undefined && before.growingAtMs === undefined
    if (isOver || (known === undefined && conversation === undefined)) continue
    changed.add(id)
    await Promise.all([
      ...(known === undefined && conversation !== undefined ? [store('conversations').put(conversation)] : []),
      store('exchanges').put(exchange),
      ...pictures.map((picture) => store('pictures').put(picture)),
      store('words').put(joinedWords(words, wordsOf(textsOf(exchange))), id),
    ])
  }
  await store('endings').clear()
  await transaction.done
  return { changed, removed }
}
