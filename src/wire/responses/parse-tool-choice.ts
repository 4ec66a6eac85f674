import type { Tool, ToolChoice } from '../../core/chat.ts'
import { isObject } from '../../core/json.ts'
import { parseToolChoice } from '../chat/tool-choice.ts'
import { maxTools } from '../chat/tools.ts'
import { presentFields } from '../check.ts'
import type { ToolDirectory } from './tool-directory.ts'
import { isWebSearch } from './web-search.ts'

type Fields = Readonly<Record<string, unknown>>

const path = 'tool_choice'

/**
 * Parses `tool_choice` with namespaces, by the names that the model sees. Throws ApiError 400 for tools that it cannot
 * call.
 */
export function parseNamespacedChoice(value: unknown, directory: ToolDirectory, search?: Tool): ToolChoice {
  const offered = search === undefined ? directory.offered() : [...directory.offered(), search]
  return parseToolChoice(withVisibleNames(value, directory, search?.name), offered, path)
}

function withVisibleNames(value: unknown, directory: ToolDirectory, searchName: string | undefined): unknown {
  if (!isObject(value)) return value
  const choice: Fields = presentFields(value, path)
  if (choice.type !== 'allowed_tools') return toFunction(choice, directory, searchName)
  const inner =
    choice.allowed_tools === undefined ? choice : presentFields(choice.allowed_tools, `${path}.allowed_tools`)
  // A later check refuses such a list before reading any tool.
  if (!Array.isArray(inner.tools) || inner.tools.length > maxTools) return choice
  const tools = inner.tools.map((tool, index) =>
    toFunction(presentFields(tool, `${path}.tools[${index}]`), directory, searchName),
  )
  // Tools that only other servers run are dropped from the list, since the model cannot call them anyway.
  const callable = tools.filter(({ type }) => type === 'function' || type === 'custom')
  return { type: choice.type, mode: inner.mode, tools: callable }
}

/** Returns the choice as a function, also for tools named by their type alone. */
function toFunction(choice: Fields, directory: ToolDirectory, searchName: string | undefined): Fields {
  const { type } = choice
  if (searchName !== undefined && isWebSearch(type)) return { type: 'function', name: searchName }
  if (type === 'local_shell' || type === 'tool_search') return { type: 'function', name: type }
  if (type !== 'function' && type !== 'custom') return choice
  const inner = choice[type]
  const { name, namespace } = isObject(inner) ? presentFields(inner, path) : choice
  if (typeof name !== 'string') return choice
  const address = typeof namespace === 'string' && namespace !== '' ? { name, namespace } : { name }
  return { type, name: directory.offeredName(address) ?? name }
}
