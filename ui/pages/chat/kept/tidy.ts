import { type ChatDatabase, ofConversation, storeNames } from './database.ts'

/**
 * Deletes records of conversations that are not there: a closing tab may write after another one has deleted the
 * conversation. Returns true if there were any.
 */
export async function tidy(database: ChatDatabase): Promise<boolean> {
  const lost = await lostIds(database)
  if (lost.size === 0) return false
  const transaction = database.transaction(storeNames, 'readwrite')
  for (const id of lost) {
    // Meanwhile it may have been brought back.
    if ((await transaction.objectStore('conversations').getKey(id)) !== undefined) continue
    await transaction.objectStore('words').delete(id)
    for (const name of ['exchanges', 'pictures', 'drafts', 'draftPictures'] as const)
      await transaction.objectStore(name).delete(ofConversation(id))
  }
  await transaction.done
  return true
}

async function lostIds(database: ChatDatabase): Promise<Set<number>> {
  const transaction = database.transaction(storeNames)
  // Conversation 0 has not begun, but may have drafts.
  const kept = new Set([0, ...(await transaction.objectStore('conversations').getAllKeys())])
  const lost = new Set<number>()
  for (const id of await transaction.objectStore('words').getAllKeys()) if (!kept.has(id)) lost.add(id)
  for (const name of ['exchanges', 'drafts'] as const) {
    let cursor = await transaction.objectStore(name).openKeyCursor()
    while (cursor !== null) {
      const [id] = cursor.key
      if (!kept.has(id)) lost.add(id)
      // Skips the other records of the conversation.
      cursor = await cursor.continue([id + 1, 0])
    }
  }
  return lost
}
