import { CustomInputDecoder } from '../chat/decode-custom-input.ts'
import type { AnswerItem } from '../dialect.ts'
import type { DeltaFrame, EventWriter } from './event-writer.ts'
import type { ItemPlace, ItemStatus, OutputItem } from './output-item.ts'

export interface CustomCallOptions extends ItemPlace {
  readonly name: string
  readonly namespace?: string | undefined
}

/** A call of a custom tool: the model writes `{"input": "…"}`, the client reads the text in it, as it comes. */
export class CustomCallItem implements OutputItem {
  readonly #writer: EventWriter
  readonly #identity: AnswerItem
  readonly #position: object
  readonly #outputIndex: number
  readonly #frame: DeltaFrame
  readonly #decoder = new CustomInputDecoder()
  #input = ''

  constructor({ writer, newId, outputIndex, name, namespace }: CustomCallOptions) {
    const id = newId('ctc_')
    this.#writer = writer
    this.#identity = {
      id,
      type: 'custom_tool_call',
      call_id: newId('call_'),
      name,
      ...(namespace === undefined ? {} : { namespace }),
    }
    this.#outputIndex = outputIndex
    this.#position = { item_id: id, output_index: outputIndex }
    this.#frame = writer.prepareDelta('response.custom_tool_call_input.delta', this.#position)
  }

  open(): string[] {
    const item = this.value('in_progress')
    return [this.#writer.event('response.output_item.added', { output_index: this.#outputIndex, item })]
  }

  add(argumentsText: string): string[] {
    return this.#append(this.#decoder.push(argumentsText))
  }

  complete(): string[] {
    const rest = this.#append(this.#decoder.end())
    const done = { ...this.#position, input: this.#input }
    const item = this.value('completed')
    return [
      ...rest,
      this.#writer.event('response.custom_tool_call_input.done', done),
      this.#writer.event('response.output_item.done', { output_index: this.#outputIndex, item }),
    ]
  }

  /** Agents run a call as soon as it is done: a cut one never is. */
  cut(): string[] {
    return []
  }

  value(status: ItemStatus): AnswerItem {
    return { ...this.#identity, input: this.#input, status }
  }

  #append(text: string): string[] {
    if (text === '') return []
    this.#input += text
    return [this.#writer.delta(this.#frame, text)]
  }
}
