import type { ToolKind } from './tool-directory.ts'

export type WholeCallKind = Extract<ToolKind, 'local-shell' | 'tool-search'>

export interface WholeCall {
  readonly idPrefix: string
  readonly type: string
  readonly fields: object
}

/** The arguments that the model wrote as the fields of the item; undefined when they are not what the item needs. */
export function toWholeCall(kind: WholeCallKind, argumentsText: string): WholeCall | undefined {
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
