/** Unsent messages, by conversation and tab. */
import { type ChatDatabase, ofConversation } from './database.ts'
import type { DraftPictureRecord, DraftRecord, PictureRecord } from './records.ts'
import type { Tabs } from './tabs.ts'

export interface KeptDraft {
  readonly draft: DraftRecord
  readonly pictures: readonly PictureRecord[]
}

interface DraftPictureChanges {
  readonly added?: readonly PictureRecord[]
  /** Ids */
  readonly lost?: readonly number[]
}

export class DraftStore {
  readonly #database: ChatDatabase
  readonly #tabs: Tabs

  constructor(database: ChatDatabase, tabs: Tabs) {
    this.#database = database
    this.#tabs = tabs
  }

  /** Returns this tab's draft of a conversation, else the newest one that an ended tab left. */
  async read(conversation: number): Promise<KeptDraft | undefined> {
    const transaction = this.#database.transaction(['drafts', 'draftPictures'])
    const all = await transaction.objectStore('drafts').getAll(ofConversation(conversation))
    const [newest] = all
      .filter(({ tab }) => !this.#tabs.isOpen(tab))
      .sort((one, other) => other.changedAtMs - one.changedAtMs)
    const draft = all.find(({ tab }) => tab === this.#tabs.id) ?? newest
    if (draft === undefined) return undefined
    const pictures = await transaction.objectStore('draftPictures').getAll(ofTab(draft))
    return { draft, pictures }
  }

  /**
   * Writes this tab's draft, with the pictures that it has gained and lost. Waits for no answer on the way, because a
   * page that closes meanwhile would lose the draft.
   */
  async write(draft: Omit<DraftRecord, 'tab'>, { added = [], lost = [] }: DraftPictureChanges = {}): Promise<void> {
    const { conversation } = draft
    const { id: tab } = this.#tabs
    const transaction = this.#database.transaction(['drafts', 'draftPictures'], 'readwrite')
    const pictures = transaction.objectStore('draftPictures')
    const writing = Promise.all([
      transaction.objectStore('drafts').put({ ...draft, tab }),
      ...added.map(({ id, blob }) => pictures.put({ conversation, tab, id, blob })),
      ...lost.map((id) => pictures.delete([conversation, tab, id])),
      transaction.done,
    ])
    transaction.commit()
    await writing
  }

  /** Deletes drafts for conversations that are not there: a tab may write one after another tab's deletion. */
  async tidy(): Promise<void> {
    const transaction = this.#database.transaction(['conversations', 'drafts', 'draftPictures'], 'readwrite')
    const kept = new Set(await transaction.objectStore('conversations').getAllKeys())
    for (const [id] of await transaction.objectStore('drafts').getAllKeys()) {
      // Conversation 0 has not begun.
      if (id === 0 || kept.has(id)) continue
      await transaction.objectStore('drafts').delete(ofConversation(id))
      await transaction.objectStore('draftPictures').delete(ofConversation(id))
    }
    await transaction.done
  }

  /** Deletes this tab's draft, and an ended tab's from which it began unless that was changed since. */
  async remove(conversation: number, adopted?: DraftRecord): Promise<void> {
    const transaction = this.#database.transaction(['drafts', 'draftPictures'], 'readwrite')
    const drafts = transaction.objectStore('drafts')
    const remove = (tab: number) => [
      drafts.delete([conversation, tab]),
      transaction.objectStore('draftPictures').delete(ofTab({ conversation, tab })),
    ]
    const before = adopted === undefined ? undefined : await drafts.get([conversation, adopted.tab])
    const isDone = before !== undefined && before.changedAtMs === adopted?.changedAtMs && !this.#tabs.isOpen(before.tab)
    await Promise.all([...remove(this.#tabs.id), ...(isDone ? remove(before.tab) : []), transaction.done])
  }
}

function ofTab({ conversation, tab }: Pick<DraftPictureRecord, 'conversation' | 'tab'>): IDBKeyRange {
  return IDBKeyRange.bound([conversation, tab], [conversation, tab, []])
}
