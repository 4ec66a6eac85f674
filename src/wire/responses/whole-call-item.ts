import type { AnswerItem } from '../dialect.ts'
import { CallItem } from './call-item.ts'
import type { ItemPlace, ItemStatus, OutputItem } from './output-item.ts'
import type { ToolKind } from './tool-directory.ts'

export type WholeCallKind = Extract<ToolKind, 'local-shell' | 'tool-search'>

/**
 * A call whose item holds the arguments as an object: it is sent once the model has written all of them. Arguments that
 * are not such an object become an ordinary function call, which clients answer with an error that the model can read.
 */
export class WholeCallItem implements OutputItem {
  readonly #kind: WholeCallKind
  readonly #place: ItemPlace
  readonly #asFunction: CallItem
  #argumentsText = ''
  #whole: AnswerItem | undefined

  constructor(kind: WholeCallKind, name: string, place: ItemPlace) {
    this.#kind = kind
    this.#place = place
    this.#asFunction = new CallItem('function', { name, hasClearMark: false }, place)
  }

  open(): string[] {
    return []
  }

  add(text: string): string[] {
    this.#argumentsText += text
    return []
  }

  complete(): string[] {
    const call = toWholeCall(this.#kind, this.#argumentsText)
    if (call === undefined) {
      const item = this.#asFunction
      return [...item.open(), ...item.add(this.#argumentsText), ...item.complete()]
    }
    const { writer, newId, outputIndex } = this.#place
    this.#whole = { id: newId(call.idPrefix), type: call.type, call_id: newId('call_'), ...call.fields }
    return [writer.added(outputIndex, this.value('in_progress')), writer.done(outputIndex, this.value('completed'))]
  }

  cut(): string[] {
    return []
  }

  value(status: ItemStatus): AnswerItem {
    if (this.#whole !== undefined) return { ...this.#whole, status }
    const item = this.#asFunction.value(status)
    // Only a call that was complete has been given its arguments.
    return status === 'incomplete' ? { ...item, arguments: this.#argumentsText } : item
  }
}

interface WholeCall {
  readonly idPrefix: string
  readonly type: string
  readonly fields: object
}

/** The arguments that the model wrote as the fields of the item; undefined when they are not what the item needs. */
function toWholeCall(kind: WholeCallKind, argumentsText: string): WholeCall | undefined {
  const parsed = parseObject(argumentsText)
  if (parsed === undefined) return undefined
  return kind === 'tool-search' ? searchCall(parsed) : shellCall(parsed)
}

function searchCall(parsed: object): WholeCall {
  return { idPrefix: 'tsc_', type: 'tool_search_call', fields: { execution: 'client', arguments: parsed } }
}

function shellCall({ command, workdir, timeout_ms }: Record<string, unknown>): WholeCall | undefined {
  if (!Array.isArray(command) || !command.every((word) => typeof word === 'string')) return undefined
  const action = {
    type: 'exec',
    command,
    env: {},
    ...(typeof workdir === 'string' ? { working_directory: workdir } : {}),
    ...(typeof timeout_ms === 'number' ? { timeout_ms } : {}),
  }
  return { idPrefix: 'lsh_', type: 'local_shell_call', fields: { action } }
}

/** The text as a JSON object; no text at all is an empty one. */
function parseObject(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text === '' ? '{}' : text)
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
    return isObject ? (value as Record<string, unknown>) : undefined // fields of unknown type
  } catch {
    return undefined // no JSON is a possible answer
  }
}
