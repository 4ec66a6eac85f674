import type { TokenLogprob } from '../../core/chat.ts'
import { sealReasoning } from '../chat/sealed-reasoning.ts'
import { toLogprobs, type WireLogprob } from '../chat/to-logprobs.ts'
import type { AnswerItem } from '../dialect.ts'
import { toJsonLine } from '../sse-frame.ts'
import type { DeltaFrame, EventWriter } from './event-writer.ts'
import type { ItemPlace, ItemStatus, OutputItem } from './output-item.ts'

interface TextItemFields {
  readonly id: string
  /** None while the item is empty. */
  readonly parts: readonly object[]
  readonly text: string
  readonly status: ItemStatus
}

/** What tells messages and the two ways of showing thinking apart. */
export interface TextForm {
  readonly idPrefix: string
  /** Beginnings of the names of events. */
  readonly partEvent: string
  readonly textEvent: string
  readonly indexField: 'content_index' | 'summary_index'
  /** Whether deltas carry log probabilities, if only an empty list. */
  readonly hasLogprobs: boolean
  part(text: string, logprobs: readonly WireLogprob[]): object
  item(fields: TextItemFields): AnswerItem
}

export const messageForm: TextForm = {
  idPrefix: 'msg_',
  partEvent: 'response.content_part',
  textEvent: 'response.output_text',
  indexField: 'content_index',
  hasLogprobs: true,
  part: (text, logprobs) => ({ type: 'output_text', text, annotations: [], logprobs }),
  item: ({ id, parts, status }) => ({ id, type: 'message', role: 'assistant', status, content: parts }),
}

export interface ReasoningStyle {
  readonly isSummary: boolean
  readonly isSealed: boolean
}

/**
 * Thinking as a summary, which clients show, or as raw content, which they keep to themselves; never as both.
 * `isSealed` adds it as a token for clients that keep neither.
 */
export function reasoningForm({ isSummary, isSealed }: ReasoningStyle): TextForm {
  return {
    idPrefix: 'rs_',
    partEvent: isSummary ? 'response.reasoning_summary_part' : 'response.content_part',
    textEvent: isSummary ? 'response.reasoning_summary_text' : 'response.reasoning_text',
    indexField: isSummary ? 'summary_index' : 'content_index',
    hasLogprobs: false,
    part: (text) => ({ type: isSummary ? 'summary_text' : 'reasoning_text', text }),
    item: ({ id, parts, text, status }) => ({
      id,
      type: 'reasoning',
      summary: isSummary ? parts : [],
      content: isSummary ? [] : parts,
      ...(parts.length === 0 ? {} : { encrypted_content: isSealed ? sealReasoning(text) : null }),
      status,
    }),
  }
}

/** A message or the model's thinking: an item of one part of text. */
export class TextItem implements OutputItem {
  readonly #form: TextForm
  readonly #writer: EventWriter
  readonly #id: string
  readonly #outputIndex: number
  readonly #position: object
  readonly #frame: DeltaFrame
  readonly #logprobs: WireLogprob[] = []
  #text = ''

  constructor(form: TextForm, { writer, newId, outputIndex }: ItemPlace) {
    this.#form = form
    this.#writer = writer
    this.#id = newId(form.idPrefix)
    this.#outputIndex = outputIndex
    this.#position = { item_id: this.#id, output_index: outputIndex, [form.indexField]: 0 }
    this.#frame = writer.prepareDelta(`${form.textEvent}.delta`, this.#position)
  }

  open(): string[] {
    const item = this.#form.item({ id: this.#id, parts: [], text: '', status: 'in_progress' })
    const part = this.#form.part('', [])
    return [
      this.#writer.added(this.#outputIndex, item),
      this.#writer.event(`${this.#form.partEvent}.added`, { ...this.#position, part }),
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
    return this.#form.item({ id: this.#id, parts: [this.#part()], text: this.#text, status })
  }

  #close(status: ItemStatus): string[] {
    const { partEvent, textEvent, hasLogprobs } = this.#form
    const logprobs = hasLogprobs ? { logprobs: this.#logprobs } : {}
    return [
      this.#writer.event(`${textEvent}.done`, { ...this.#position, text: this.#text, ...logprobs }),
      this.#writer.event(`${partEvent}.done`, { ...this.#position, part: this.#part() }),
      this.#writer.done(this.#outputIndex, this.value(status)),
    ]
  }

  #part(): object {
    return this.#form.part(this.#text, this.#logprobs)
  }
}
