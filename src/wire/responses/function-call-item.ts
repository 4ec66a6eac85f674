import type { AnswerItem } from '../dialect.ts'
import type { DeltaFrame, EventWriter } from './event-writer.ts'
import type { ItemPlace, ItemStatus, OutputItem } from './output-item.ts'

export interface FunctionCallOptions extends ItemPlace {
  readonly name: string
  readonly namespace?: string | undefined
  /** Tells clients that hand arguments on to other agents that these are no ciphertext. */
  readonly hasClearMark: boolean
}

/** A call of a function; its arguments come as the model writes them. */
export class FunctionCallItem implements OutputItem {
  readonly #writer: EventWriter
  readonly #identity: { readonly id: string; readonly type: string; readonly call_id: string }
  readonly #name: { readonly name: string; readonly namespace?: string }
  readonly #mark: object
  readonly #position: object
  readonly #outputIndex: number
  readonly #frame: DeltaFrame
  #argumentsText = ''

  constructor({ writer, newId, outputIndex, name, namespace, hasClearMark }: FunctionCallOptions) {
    this.#writer = writer
    this.#identity = { id: newId('fc_'), type: 'function_call', call_id: newId('call_') }
    this.#name = { name, ...(namespace === undefined ? {} : { namespace }) }
    this.#mark = hasClearMark ? { encrypted_function_args: [] } : {}
    this.#outputIndex = outputIndex
    this.#position = { item_id: this.#identity.id, output_index: outputIndex }
    this.#frame = writer.prepareDelta('response.function_call_arguments.delta', this.#position)
  }

  open(): string[] {
    const item = this.value('in_progress')
    return [this.#writer.event('response.output_item.added', { output_index: this.#outputIndex, item })]
  }

  add(text: string): string[] {
    if (text === '') return []
    this.#argumentsText += text
    return [this.#writer.delta(this.#frame, text)]
  }

  /** Agents parse a call's arguments: a call without any is an empty object, not an empty text. */
  complete(): string[] {
    const filled = this.#argumentsText === '' ? this.add('{}') : []
    const done = { ...this.#position, name: this.#name.name, arguments: this.#argumentsText }
    const item = this.value('completed')
    return [
      ...filled,
      this.#writer.event('response.function_call_arguments.done', done),
      this.#writer.event('response.output_item.done', { output_index: this.#outputIndex, item }),
    ]
  }

  /** Agents run a call as soon as it is done: a cut one never is. */
  cut(): string[] {
    return []
  }

  value(status: ItemStatus): AnswerItem {
    return { ...this.#identity, ...this.#name, arguments: this.#argumentsText, ...this.#mark, status }
  }
}
