import type { TokenLogprob } from '../../core/chat.ts'
import type { NewId } from '../../core/ids.ts'
import type { AnswerItem } from '../dialect.ts'
import type { EventWriter } from './event-writer.ts'

export type ItemStatus = 'in_progress' | 'completed' | 'incomplete'

export interface ItemPlace {
  readonly writer: EventWriter
  readonly newId: NewId
  /** Position in the response's output. */
  readonly outputIndex: number
}

/** One item of a response's output while the model writes it. `open` is to be sent first. */
export interface OutputItem {
  /** Events that announce the item. */
  open(): string[]
  /** Events for the next piece. */
  add(text: string, logprobs?: readonly TokenLogprob[]): string[]
  /** Events of an item that is whole. */
  complete(): string[]
  /** Events of an item that a limit has cut. */
  cut(): string[]
  /** The item as it stands in the response's output. */
  value(status: ItemStatus): AnswerItem
}
