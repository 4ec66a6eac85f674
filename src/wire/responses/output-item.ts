import type { TokenLogprob } from '../../core/chat.ts'
import type { NewId } from '../../core/ids.ts'
import type { AnswerItem } from '../dialect.ts'
import { toJsonLine } from '../sse-frame.ts'

export type ItemStatus = 'in_progress' | 'completed' | 'incomplete'

export interface ItemPlace {
  readonly writer: EventWriter
  readonly newId: NewId
  /** Position in the response's output. */
  readonly outputIndex: number
}

/** One item of a response's output while the model writes it. Call `open` first. */
export interface OutputItem {
  /** Returns the events that announce the item. */
  open(): string[]
  /** Returns the events for the next piece. */
  add(text: string, logprobs?: readonly TokenLogprob[]): string[]
  /** Returns the events that end a complete item. */
  complete(): string[]
  /** Returns the events that end a cut item. */
  cut(): string[]
  /** Returns the item as the response's output shows it. */
  value(status: ItemStatus): AnswerItem
}

/** Writes the events of one stream, numbered from 0 without gaps. */
export class EventWriter {
  #sequenceNumber = 0

  event(type: string, fields: object): string {
    const data = { type, sequence_number: this.#sequenceNumber++, ...fields }
    return `event: ${type}\ndata: ${toJsonLine(data)}\n\n`
  }

  added(outputIndex: number, item: object): string {
    return this.event('response.output_item.added', { output_index: outputIndex, item })
  }

  done(outputIndex: number, item: object): string {
    return this.event('response.output_item.done', { output_index: outputIndex, item })
  }

  /**
   * Returns the writer of deltas of an item. Only their text is encoded each time, because deltas are most of a
   * stream. `fields` precede the delta. `rest` is JSON text that follows it, beginning with its comma.
   */
  deltas(type: string, fields: object): (text: string, rest?: string) => string {
    const head = `event: ${type}\ndata: {"type":"${type}","sequence_number":`
    const middle = `,${toJsonLine(fields).slice(1, -1)},"delta":`
    return (text, rest = '') => `${head}${this.#sequenceNumber++}${middle}${toJsonLine(text)}${rest}}\n\n`
  }
}
