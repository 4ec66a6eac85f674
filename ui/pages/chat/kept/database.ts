/** The browser's database of one account's conversations. The server has none of it. */
import { type DBSchema, type IDBPDatabase, openDB } from 'idb'
import type {
  ConversationRecord,
  DraftPictureRecord,
  DraftRecord,
  EndingRecord,
  ExchangeRecord,
  PictureRecord,
} from './records.ts'

export interface ChatSchema extends DBSchema {
  conversations: { key: number; value: ConversationRecord }
  exchanges: { key: [conversation: number, id: number]; value: ExchangeRecord }
  pictures: { key: [conversation: number, id: number]; value: PictureRecord }
  /** Different words of each conversation, for the search. */
  words: { key: number; value: string }
  drafts: { key: [conversation: number, tab: number]; value: DraftRecord }
  /** Exchanges of closed tabs, until the next opening. */
  endings: { key: [conversation: number, id: number]; value: EndingRecord }
  draftPictures: { key: [conversation: number, tab: number, id: number]; value: DraftPictureRecord }
}

export type ChatDatabase = IDBPDatabase<ChatSchema>

export const storeNames = [
  'conversations',
  'exchanges',
  'pictures',
  'words',
  'drafts',
  'draftPictures',
  'endings',
] as const

const version = 2

/**
 * Opens the database of an account. Rejects if the browser keeps none, if a newer version of the page has written it,
 * and if another tab does not let go of an older one. Calls `onLost` when the open database ends, so that nothing more
 * can be written.
 */
export function openDatabase(account: string, onLost: () => void): Promise<ChatDatabase> {
  return new Promise((resolve, reject) => {
    openDB<ChatSchema>(`inferd-chats-${account}`, version, {
      upgrade(database, before) {
        if (before < 1) {
          database.createObjectStore('conversations', { keyPath: 'id' })
          database.createObjectStore('exchanges', { keyPath: ['conversation', 'id'] })
          database.createObjectStore('pictures', { keyPath: ['conversation', 'id'] })
          database.createObjectStore('words')
        } else database.deleteObjectStore('drafts')
        database.createObjectStore('drafts', { keyPath: ['conversation', 'tab'] })
        database.createObjectStore('draftPictures', { keyPath: ['conversation', 'tab', 'id'] })
        database.createObjectStore('endings', { keyPath: ['exchange.conversation', 'exchange.id'] })
      },
      blocked: () => reject(new Error('Another tab holds an older version of the database.')),
      // A newer version of the page in another tab needs the database alone.
      blocking: (_from, _to, event) => {
        ;(event.target as IDBDatabase).close()
        onLost()
      },
      terminated: onLost,
    }).then(resolve, reject)
  })
}

/** Returns the range of all records of one conversation in a store with compound keys. */
export function ofConversation(id: number): IDBKeyRange {
  return IDBKeyRange.bound([id], [id, []])
}
