import { CustomInputDecoder } from '../chat/decode-custom-input.ts'

/**
 * A call that is being streamed, as the pieces of deltas. Only the first has id, type and name: clients concatenate what
 * comes twice. Keeps none of its text.
 */
export interface OpenCall {
  readonly start: object
  /** Undefined when there is nothing to send yet. */
  add(argumentsText: string): object | undefined
  end(): object | undefined
}

/** A call of a function. */
export function openFunctionCall(index: number, id: string, name: string): OpenCall {
  let isEmpty = true
  return {
    start: { index, id, type: 'function', function: { name, arguments: '' } },
    add: (text) => {
      if (text === '') return undefined
      isEmpty = false
      return { index, function: { arguments: text } }
    },
    // Agents parse a call's arguments: a call without any is an empty object, not an empty text.
    end: () => (isEmpty ? { index, function: { arguments: '{}' } } : undefined),
  }
}

/** A call whose arguments carry one plain text, which is what the client gets. */
export function openCustomCall(index: number, id: string, name: string): OpenCall {
  const decoder = new CustomInputDecoder()
  const input = (text: string) => (text === '' ? undefined : { index, custom: { input: text } })
  return {
    start: { index, id, type: 'custom', custom: { name, input: '' } },
    add: (argumentsText) => input(decoder.push(argumentsText)),
    end: () => input(decoder.end()),
  }
}
