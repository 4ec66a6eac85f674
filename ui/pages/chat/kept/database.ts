/** The browser's database of one account's conversations. The server has none of it. */
import { type DBSchema, type IDBPDatabase, openDB } from 'idb'
import type { ConversationRecord, ExchangeRecord, PictureRecord } from './records.ts'

export interface ChatSchema extends DBSchema {
  conversations: { key: number; value: ConversationRecord }
  exchanges: { key: [conversation: number, id: number]; value: ExchangeRecord }
  pictures: { key: [conversation: number, id: number]; value: PictureRecord }
  /** Different words of each conversation, for the search. */
  words: { key: number; value: string }
  /** Unsent text by conversation. Number 0 is the conversation that has not begun. */
  drafts: { key: number; value: string }
}

export type ChatDatabase = IDBPDatabase<ChatSchema>

export const storeNames = ['conversations', 'exchanges', 'pictures', 'words', 'drafts'] as const

/** Opens the database of an account. Rejects if the browser keeps none, as in some private windows. */
export function openDatabase(account: string): Promise<ChatDatabase> {
  return openDB<ChatSchema>(`inferd-chats-${account}`, 1, {
    upgrade(database) {
      database.createObjectStore('conversations', { keyPath: 'id' })
      database.createObjectStore('exchanges', { keyPath: ['conversation', 'id'] })
      database.createObjectStore('pictures', { keyPath: ['conversation', 'id'] })
      database.createObjectStore('words')
      database.createObjectStore('drafts')
    },
    // A newer version of the page in another tab needs the database alone.
    blocking: (_from, _to, event) => (event.target as IDBDatabase).close(),
  })
}

/** Returns the range of all records of one conversation in a store with compound keys. */
export function ofConversation(id: number): IDBKeyRange {
  return IDBKeyRange.bound([id], [id, []])
}
