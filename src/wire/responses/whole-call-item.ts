import type { AnswerItem } from '../dialect.ts'
import { FunctionCallItem } from './function-call-item.ts'
import type { ItemPlace, ItemStatus, OutputItem } from './output-item.ts'
import { toWholeCall, type WholeCall, type WholeCallKind } from './to-whole-call.ts'

export interface WholeCallOptions extends ItemPlace {
  readonly kind: WholeCallKind
  readonly name: string
}

/**
 * A call whose item holds the arguments as an object: clients hear of it when the model has written all of them.
 * Arguments that are no such object come back as an ordinary function call, which clients answer with an error that the
 * model can read.
 */
export class WholeCallItem implements OutputItem {
  readonly #options: WholeCallOptions
  readonly #asFunction: FunctionCallItem
  #argumentsText = ''
  #whole: { readonly id: string; readonly type: string; readonly call_id: string } | undefined

  constructor(options: WholeCallOptions) {
    this.#options = options
    this.#asFunction = new FunctionCallItem({ ...options, hasClearMark: false })
  }

  open(): string[] {
    return []
  }

  add(text: string): string[] {
    this.#argumentsText += text
    return []
  }

  complete(): string[] {
    const call = toWholeCall(this.#options.kind, this.#argumentsText)
    if (call === undefined) {
      const item = this.#asFunction
      return [...item.open(), ...item.add(this.#argumentsText), ...item.complete()]
    }
    this.#whole = this.#identify(call)
    const { writer, outputIndex } = this.#options
    return [
      writer.event('response.output_item.added', { output_index: outputIndex, item: this.value('in_progress') }),
      writer.event('response.output_item.done', { output_index: outputIndex, item: this.value('completed') }),
    ]
  }

  cut(): string[] {
    return []
  }

  value(status: ItemStatus): AnswerItem {
    if (this.#whole !== undefined) return { ...this.#whole, status }
    const item = this.#asFunction.value(status)
    // Only a call that was complete has been handed its arguments.
    return status === 'incomplete' ? { ...item, arguments: this.#argumentsText } : item
  }

  #identify({ idPrefix, type, fields }: WholeCall) {
    const { newId } = this.#options
    return { id: newId(idPrefix), type, call_id: newId('call_'), ...fields }
  }
}
