import { CustomInputDecoder } from '../chat/decode-custom-input.ts'

/**
 * Streamed call as fields of deltas. Only the first delta has id, type and name, because clients concatenate repeated
 * ones. Keeps none of the call's text.
 */
export interface OpenCall {
  readonly start: object
  /** Returns the fields of the next delta; undefined if there is nothing to send yet. */
  add(argumentsText: string): object | undefined
  end(): object | undefined
}

/** Opens a call in the form that preceded tools. */
export function openFunctionCall(name: string): OpenCall {
  const pieces = argumentsPieces((fields) => ({ function_call: fields }))
  return { start: { function_call: { name, arguments: '' } }, ...pieces }
}

/** Opens a call of a function tool. */
export function openToolCall(index: number, id: string, name: string): OpenCall {
  const pieces = argumentsPieces((fields) => ({ tool_calls: [{ index, function: fields }] }))
  return { start: { tool_calls: [{ index, id, type: 'function', function: { name, arguments: '' } }] }, ...pieces }
}

function argumentsPieces(toDelta: (fields: object) => object): Omit<OpenCall, 'start'> {
  let isEmpty = true
  return {
    add: (text) => {
      if (text === '') return undefined
      isEmpty = false
      return toDelta({ arguments: text })
    },
    // A call without arguments gets an empty object, because agents parse the text.
    end: () => (isEmpty ? toDelta({ arguments: '{}' }) : undefined),
  }
}

/** Opens a call whose arguments carry one plain text, which the client receives. */
export function openCustomCall(index: number, id: string, name: string): OpenCall {
  const decoder = new CustomInputDecoder()
  const input = (text: string) => (text === '' ? undefined : { tool_calls: [{ index, custom: { input: text } }] })
  return {
    start: { tool_calls: [{ index, id, type: 'custom', custom: { name, input: '' } }] },
    add: (argumentsText) => input(decoder.push(argumentsText)),
    end: () => input(decoder.end()),
  }
}
