import { CustomInputDecoder } from '../chat/decode-custom-input.ts'
import type { AnswerItem } from '../dialect.ts'
import type { DeltaFrame, EventWriter } from './event-writer.ts'
import type { ItemPlace, ItemStatus, OutputItem } from './output-item.ts'
import type { KnownTool } from './tool-directory.ts'

const forms = {
  /** Arguments are sent as the model writes them. */
  function: { idPrefix: 'fc_', type: 'function_call', event: 'response.function_call_arguments', field: 'arguments' },
  /** The model writes `{"input": "…"}`, and the client gets the text in it. */
  custom: { idPrefix: 'ctc_', type: 'custom_tool_call', event: 'response.custom_tool_call_input', field: 'input' },
} as const

export type CallKind = keyof typeof forms

/** A call of a function or of a custom tool, sent while the model writes it. */
export class CallItem implements OutputItem {
  readonly #form: (typeof forms)[CallKind]
  readonly #decoder: CustomInputDecoder | undefined
  readonly #writer: EventWriter
  readonly #identity: AnswerItem
  readonly #name: { readonly name: string; readonly namespace?: string }
  readonly #mark: object
  readonly #outputIndex: number
  readonly #position: object
  readonly #frame: DeltaFrame
  #text = ''

  constructor(kind: CallKind, { name, namespace, hasClearMark }: Omit<KnownTool, 'kind'>, place: ItemPlace) {
    const { writer, newId, outputIndex } = place
    this.#form = forms[kind]
    this.#decoder = kind === 'custom' ? new CustomInputDecoder() : undefined
    this.#writer = writer
    this.#identity = { id: newId(this.#form.idPrefix), type: this.#form.type, call_id: newId('call_') }
    this.#name = { name, ...(namespace === undefined ? {} : { namespace }) }
    // Tells clients that pass arguments on to other agents that these are not encrypted.
    this.#mark = hasClearMark ? { encrypted_function_args: [] } : {}
    this.#outputIndex = outputIndex
    this.#position = { item_id: this.#identity.id, output_index: outputIndex }
    this.#frame = writer.prepareDelta(`${this.#form.event}.delta`, this.#position)
  }

  open(): string[] {
    return [this.#writer.added(this.#outputIndex, this.value('in_progress'))]
  }

  add(argumentsText: string): string[] {
    return this.#append(this.#decoder === undefined ? argumentsText : this.#decoder.push(argumentsText))
  }

  complete(): string[] {
    const rest = this.#append(this.#rest())
    const name = this.#decoder === undefined ? { name: this.#name.name } : {}
    return [
      ...rest,
      this.#writer.event(`${this.#form.event}.done`, { ...this.#position, ...name, [this.#form.field]: this.#text }),
      this.#writer.done(this.#outputIndex, this.value('completed')),
    ]
  }

  /** Agents run a call as soon as it is done: a cut one never is. */
  cut(): string[] {
    return []
  }

  value(status: ItemStatus): AnswerItem {
    return { ...this.#identity, ...this.#name, [this.#form.field]: this.#text, ...this.#mark, status }
  }

  /** Agents parse a call's arguments: a call without any is an empty object, not an empty text. */
  #rest(): string {
    if (this.#decoder !== undefined) return this.#decoder.end()
    return this.#text === '' ? '{}' : ''
  }

  #append(text: string): string[] {
    if (text === '') return []
    this.#text += text
    return [this.#writer.delta(this.#frame, text)]
  }
}
