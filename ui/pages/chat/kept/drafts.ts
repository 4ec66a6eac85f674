/** Unsent message of the shown conversation, kept as it is written. */
import { noQuestion, type Question } from '../conversation.ts'
import type { DraftStore, KeptDraft } from './draft-store.ts'
import { factsOf, readPictures, withContent, writePictures } from './exchange-record.ts'
import type { DraftRecord } from './records.ts'

export interface ReadDraft {
  readonly kept: KeptDraft
  readonly question: Question
}

export class Drafts {
  /** Unsent message of the conversation that was opened last, as it was then. */
  opened: Question = noQuestion
  readonly #store: DraftStore | undefined
  readonly #tab: number
  #conversation = 0
  #kept: Question = noQuestion
  /** Draft of an ended tab from which this one began. */
  #adopted: DraftRecord | undefined
  /** Pictures that are stored for this tab. */
  #stored = new Set<number>()

  constructor(store: DraftStore | undefined, tab: number) {
    this.#store = store
    this.#tab = tab
  }

  /** Reads the draft of a conversation; number 0 has not begun. Never rejects. */
  async read(conversation: number): Promise<ReadDraft | undefined> {
    try {
      const kept = await this.#store?.read(conversation)
      return kept === undefined ? undefined : { kept, question: await toQuestion(kept) }
    } catch {
      return undefined
    }
  }

  /** Goes on with a draft that was read. */
  begin(conversation: number, { kept, question }: Partial<ReadDraft> = {}): void {
    this.opened = question ?? noQuestion
    this.#begin(conversation, this.opened)
    this.#adopted = kept?.draft
    if (kept?.draft.tab === this.#tab) this.#stored = new Set(kept.pictures.map(({ id }) => id))
  }

  /** Keeps the unsent message of a conversation, which may have begun with the one before. */
  keep(conversation: number, question: Question): void {
    if (conversation !== this.#conversation) {
      this.#write(noQuestion)
      this.#begin(conversation, noQuestion)
    }
    if (!isSame(question, this.#kept)) this.#write(question)
  }

  #begin(conversation: number, kept: Question): void {
    this.#conversation = conversation
    this.#kept = kept
    this.#adopted = undefined
    this.#stored = new Set()
  }

  #write(question: Question): void {
    const conversation = this.#conversation
    const { text, pictures, files } = question
    this.#kept = question
    if (text === '' && pictures.length === 0 && files.length === 0) {
      this.#stored = new Set()
      void this.#store?.remove(conversation, this.#adopted).catch(() => undefined)
      return
    }
    const added = writePictures(conversation, pictures, this.#stored)
    const ids = new Set(pictures.map(({ id }) => id))
    const lost = [...this.#stored].filter((id) => !ids.has(id))
    this.#stored = ids
    const draft = { conversation, text, pictures: pictures.map(factsOf), files, changedAtMs: Date.now() }
    void this.#store?.write(draft, { added, lost }).catch(() => {
      for (const { id } of added) this.#stored.delete(id)
    })
  }
}

async function toQuestion({ draft, pictures }: KeptDraft): Promise<Question> {
  const shown = withContent(draft.pictures, await readPictures(pictures))
  return { text: draft.text, pictures: shown, files: draft.files ?? [], lostPictures: 0 }
}

function isSame(one: Question, other: Question): boolean {
  const ids = ({ pictures, files }: Question) => [...pictures, ...files].map(({ id }) => id).join()
  return one.text === other.text && ids(one) === ids(other)
}
