import type { TokenLogprob } from '../../core/chat.ts'
import { toLogprobs, type WireLogprob } from '../chat/to-logprobs.ts'
import type { AnswerItem } from '../dialect.ts'
import { toJsonLine } from '../sse-frame.ts'
import type { DeltaFrame, EventWriter } from './event-writer.ts'
import type { ItemPlace, ItemStatus, OutputItem } from './output-item.ts'
import type { TextForm } from './text-form.ts'

/** A message or the model's thinking: an item of one part of text. */
export class TextItem implements OutputItem {
  readonly #form: TextForm
  readonly #writer: EventWriter
  readonly #id: string
  readonly #outputIndex: number
  readonly #frame: DeltaFrame
  readonly #logprobs: WireLogprob[] = []
  #text = ''

  constructor(form: TextForm, { writer, newId, outputIndex }: ItemPlace) {
    this.#form = form
    this.#writer = writer
    this.#id = newId(form.idPrefix)
    this.#outputIndex = outputIndex
    this.#frame = writer.prepareDelta(form.events.delta, this.#position())
  }

  open(): string[] {
    return [
      this.#writer.event('response.output_item.added', {
        output_index: this.#outputIndex,
        item: this.#form.item({ id: this.#id, part: undefined, text: '', status: 'in_progress' }),
      }),
      this.#writer.event(this.#form.events.partAdded, { ...this.#position(), part: this.#form.part('', []) }),
    ]
  }

  add(text: string, logprobs?: readonly TokenLogprob[]): string[] {
    this.#text += text
    if (!this.#form.hasLogprobs) return [this.#writer.delta(this.#frame, text)]
    if (logprobs === undefined) return [this.#writer.delta(this.#frame, text, ',"logprobs":[]')]
    const { content } = toLogprobs(logprobs)
    for (const token of content) this.#logprobs.push(token)
    return [this.#writer.delta(this.#frame, text, `,"logprobs":${toJsonLine(content)}`)]
  }

  complete(): string[] {
    return this.#close('completed')
  }

  /** Clients show what the last events hold: also of an answer that was cut. */
  cut(): string[] {
    return this.#close('incomplete')
  }

  value(status: ItemStatus): AnswerItem {
    return this.#form.item({ id: this.#id, part: this.#part(), text: this.#text, status })
  }

  #close(status: ItemStatus): string[] {
    const { events, hasLogprobs } = this.#form
    const logprobs = hasLogprobs ? { logprobs: this.#logprobs } : {}
    return [
      this.#writer.event(events.textDone, { ...this.#position(), text: this.#text, ...logprobs }),
      this.#writer.event(events.partDone, { ...this.#position(), part: this.#part() }),
      this.#writer.event('response.output_item.done', { output_index: this.#outputIndex, item: this.value(status) }),
    ]
  }

  #part(): object {
    return this.#form.part(this.#text, this.#logprobs)
  }

  /** An item has one part only. */
  #position(): object {
    return { item_id: this.#id, output_index: this.#outputIndex, [this.#form.indexField]: 0 }
  }
}
