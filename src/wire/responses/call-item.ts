import { CustomInputDecoder } from '../chat/decode-custom-input.ts'
import type { ItemPlace, ItemStatus, OutputItem } from './output-item.ts'
import type { KnownTool } from './tool-directory.ts'

const forms = {
  /** Arguments are sent as the model writes them. */
  function: { idPrefix: 'fc_', type: 'function_call', event: 'response.function_call_arguments', field: 'arguments' },
  /** The model writes `{"input": "…"}`, and the client gets only the text in it. */
  custom: { idPrefix: 'ctc_', type: 'custom_tool_call', event: 'response.custom_tool_call_input', field: 'input' },
} as const

/** Returns the item of a call to a function or a custom tool, which is sent while the model writes it. */
export function callItem(
  kind: keyof typeof forms,
  { name, namespace, hasClearMark }: Omit<KnownTool, 'kind'>,
  { writer, newId, outputIndex }: ItemPlace,
): OutputItem {
  const { idPrefix, type, event, field } = forms[kind]
  const decoder = kind === 'custom' ? new CustomInputDecoder() : undefined
  const identity = { id: newId(idPrefix), type, call_id: newId('call_') }
  const position = { item_id: identity.id, output_index: outputIndex }
  const delta = writer.deltas(`${event}.delta`, position)
  let written = ''

  function append(text: string): string[] {
    if (text === '') return []
    written += text
    return [delta(text)]
  }

  const value = (status: ItemStatus) => ({
    ...identity,
    name,
    ...(namespace === undefined ? {} : { namespace }),
    [field]: written,
    // Clients that pass arguments on to other agents learn here that these are not encrypted.
    ...(hasClearMark ? { encrypted_function_args: [] } : {}),
    status,
  })

  return {
    open: () => [writer.added(outputIndex, value('in_progress'))],
    add: (argumentsText) => append(decoder === undefined ? argumentsText : decoder.push(argumentsText)),
    complete: () => [
      // A call without arguments gets an empty object, because agents parse the text.
      ...append(decoder === undefined ? (written === '' ? '{}' : '') : decoder.end()),
      writer.event(`${event}.done`, { ...position, ...(decoder === undefined ? { name } : {}), [field]: written }),
      writer.done(outputIndex, value('completed')),
    ],
    // Agents run a call as soon as it is done, so a cut one is never reported as done.
    cut: () => [],
    value,
  }
}
