import { type JsonObject, objectIn } from '../../core/json.ts'
import type { AnswerItem } from '../dialect.ts'
import { callItem } from './call-item.ts'
import type { ItemPlace, ItemStatus, OutputItem } from './output-item.ts'
import type { ToolKind } from './tool-directory.ts'

/**
 * Returns the item of a call whose arguments are an object in the item. It is sent once the model has written all of
 * them. Invalid arguments make it an ordinary function call, which clients answer with an error that the model can
 * read.
 */
export function wholeCallItem(kind: keyof typeof calls, name: string, place: ItemPlace): OutputItem {
  const { writer, newId, outputIndex } = place
  const asFunction = callItem('function', { name, hasClearMark: false }, place)
  let argumentsText = ''
  let whole: AnswerItem | undefined

  function value(status: ItemStatus): AnswerItem {
    if (whole !== undefined) return { ...whole, status }
    const item = asFunction.value(status)
    // `asFunction` gets its arguments only when the call is complete.
    return status === 'incomplete' ? { ...item, arguments: argumentsText } : item
  }

  return {
    open: () => [],
    add: (text) => {
      argumentsText += text
      return []
    },
    complete: () => {
      const { idPrefix, type, fieldsOf } = calls[kind]
      const parsed = objectIn(argumentsText === '' ? '{}' : argumentsText)
      const fields = parsed && fieldsOf(parsed)
      if (fields === undefined) {
        return [...asFunction.open(), ...asFunction.add(argumentsText), ...asFunction.complete()]
      }
      whole = { id: newId(idPrefix), type, call_id: newId('call_'), ...fields }
      return [writer.added(outputIndex, value('in_progress')), writer.done(outputIndex, value('completed'))]
    },
    cut: () => [],
    value,
  }
}

/** Items by kind of call. `fieldsOf` returns the item's fields; undefined for arguments that it cannot hold. */
const calls = {
  'tool-search': {
    idPrefix: 'tsc_',
    type: 'tool_search_call',
    fieldsOf: (parsed: JsonObject): object | undefined => ({ execution: 'client', arguments: parsed }),
  },
  'local-shell': { idPrefix: 'lsh_', type: 'local_shell_call', fieldsOf: shellFields },
} as const satisfies Partial<Record<ToolKind, object>>

function shellFields({ command, workdir, timeout_ms }: JsonObject): object | undefined {
  if (!Array.isArray(command) || !command.every((word) => typeof word === 'string')) return undefined
  const action = {
    type: 'exec',
    command,
    env: {},
    ...(typeof workdir === 'string' ? { working_directory: workdir } : {}),
    ...(typeof timeout_ms === 'number' ? { timeout_ms } : {}),
  }
  return { action }
}
