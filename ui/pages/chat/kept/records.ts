/** Records of conversations as the browser's database holds them. */
import type { DocumentFacts, TextFile } from '../conversation.ts'
import { fields, list, text } from '../json-fields.ts'
import type { Settings } from '../settings.ts'
import type { Branch } from './tree.ts'

export interface ConversationRecord {
  readonly id: number
  readonly title: string
  /** True once the person chose the title. Until then it is the first words of the conversation. */
  readonly isNamed: boolean
  readonly createdAtMs: number
  readonly changedAtMs: number
  /** Exchange at the end of the shown branch. 0 if there is none. */
  readonly leaf: number
  /** Models by column. */
  readonly models: readonly string[]
  readonly system: string
  readonly settings: Settings
  /** JSON text. */
  readonly tools: string
}

export interface ExchangeRecord extends Branch {
  /** Id of its conversation. */
  readonly conversation: number
  readonly text: string
  readonly pictures: readonly PictureFacts[]
  readonly lostPictures: number
  /** Undefined if there are none. */
  readonly files?: readonly TextFile[]
  /** Answers by column, as JSON values. */
  readonly answers: readonly unknown[]
  /** Time at which a tab wrote a growing answer. Undefined once the answers have ended. */
  readonly growingAtMs?: number
}

/** A picture or document without its content. */
export interface PictureFacts {
  readonly id: number
  readonly name: string
  readonly width: number
  readonly height: number
  readonly bytes: number
  readonly document?: DocumentFacts
}

export interface PictureRecord {
  readonly conversation: number
  readonly id: number
  readonly blob: Blob
}

/** Unsent message of one tab. Conversation 0 has not begun. */
export interface DraftRecord {
  readonly conversation: number
  readonly tab: number
  readonly text: string
  readonly pictures: readonly PictureFacts[]
  /** Undefined if there are none. */
  readonly files?: readonly TextFile[]
  readonly changedAtMs: number
}

export interface DraftPictureRecord extends PictureRecord {
  readonly tab: number
}

/** Exchange that a closing tab has written. */
export interface EndingRecord {
  readonly exchange: ExchangeRecord
  readonly pictures: readonly PictureRecord[]
  /** Conversation of the exchange, if the tab was still writing that too. */
  readonly conversation?: ConversationRecord
}

/** A whole conversation: what is exported, duplicated, or deleted and brought back. */
export interface KeptConversation {
  readonly conversation: ConversationRecord
  readonly exchanges: readonly ExchangeRecord[]
  readonly pictures: readonly PictureRecord[]
}

/** Returns the texts of an exchange by which its conversation is found. */
export function textsOf({ text: asked, files = [], answers }: ExchangeRecord): string[] {
  const steps = answers.flatMap((answer) => list(fields(answer).steps))
  return [asked, ...files.map((file) => file.text), ...steps.map((step) => text(fields(step).text))]
}

/** Returns the conversation under another id, for a copy beside the original. */
export function withId(kept: KeptConversation, id: number): KeptConversation {
  return {
    conversation: { ...kept.conversation, id },
    exchanges: kept.exchanges.map((exchange) => ({ ...exchange, conversation: id })),
    pictures: kept.pictures.map((picture) => ({ ...picture, conversation: id })),
  }
}
