import { CustomInputDecoder } from '../chat/decode-custom-input.ts'

/**
 * A call that is being streamed, as the pieces of deltas. Only the first has id, type and name: clients concatenate what
 * comes twice. Keeps none of its text.
 */
export class OpenCall {
  readonly #index: number
  readonly #name: string
  readonly #decoder: CustomInputDecoder | undefined
  #isEmpty = true

  /** `isCustom`: the call's arguments carry one plain text, which is what the client gets. */
  constructor(index: number, name: string, isCustom: boolean) {
    this.#index = index
    this.#name = name
    this.#decoder = isCustom ? new CustomInputDecoder() : undefined
  }

  start(id: string): object {
    const head = { index: this.#index, id }
    if (this.#decoder !== undefined) return { ...head, type: 'custom', custom: { name: this.#name, input: '' } }
    return { ...head, type: 'function', function: { name: this.#name, arguments: '' } }
  }

  /** Undefined when there is nothing to send yet. */
  add(argumentsText: string): object | undefined {
    if (this.#decoder !== undefined) return this.#input(this.#decoder.push(argumentsText))
    if (argumentsText === '') return undefined
    this.#isEmpty = false
    return this.#arguments(argumentsText)
  }

  end(): object | undefined {
    if (this.#decoder !== undefined) return this.#input(this.#decoder.end())
    // Agents parse a call's arguments: a call without any is an empty object, not an empty text.
    return this.#isEmpty ? this.#arguments('{}') : undefined
  }

  #input(text: string): object | undefined {
    return text === '' ? undefined : { index: this.#index, custom: { input: text } }
  }

  #arguments(text: string): object {
    return { index: this.#index, function: { arguments: text } }
  }
}
