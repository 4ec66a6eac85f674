/**
 * Exchanges that a closing tab writes. They have a store of their own: in another one, the write would wait for
 * transactions that end with their tab, and would be lost.
 */
import type { ChatDatabase } from './database.ts'
import { type ExchangeRecord, type PictureRecord, textsOf } from './records.ts'
import { joinedWords, wordsOf } from './words.ts'

/** Writes an exchange at once, while the page closes. */
export function writeEnding(
  database: ChatDatabase,
  exchange: ExchangeRecord,
  pictures: readonly PictureRecord[],
): Promise<unknown> {
  const transaction = database.transaction('endings', 'readwrite')
  const writing = transaction.store.put({ exchange, pictures })
  transaction.commit()
  return Promise.all([writing, transaction.done])
}

/** Takes what closed tabs have written into its conversations. Returns the ids of those that have changed. */
export async function takeEndings(database: ChatDatabase): Promise<ReadonlySet<number>> {
  const changed = new Set<number>()
  if ((await database.count('endings')) === 0) return changed
  const names = ['endings', 'conversations', 'exchanges', 'pictures', 'words'] as const
  const transaction = database.transaction(names, 'readwrite')
  const store = transaction.objectStore.bind(transaction)
  for (const { exchange, pictures } of await store('endings').getAll()) {
    const { conversation: id } = exchange
    const [conversation, before, words = ''] = await Promise.all([
      store('conversations').getKey(id),
      store('exchanges').get([id, exchange.id]),
      store('words').get(id),
    ])
    // The tab has come back and gone on, or another one has deleted it.
    const isOver = before !== undefined && before.growingAtMs === undefined
    if (conversation === undefined || isOver) continue
    changed.add(id)
    await Promise.all([
      store('exchanges').put(exchange),
      ...pictures.map((picture) => store('pictures').put(picture)),
      store('words').put(joinedWords(words, wordsOf(textsOf(exchange))), id),
    ])
  }
  await store('endings').clear()
  await transaction.done
  return changed
}
