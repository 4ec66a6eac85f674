import type { Tool, ToolChoice } from '../../core/chat.ts'
import { isObject } from '../../core/json.ts'
import { invalidValue, presentFields } from '../check.ts'
import { maxTools } from './tools.ts'

const modes: Readonly<Record<string, ToolChoice['mode']>> = {
  none: 'none',
  auto: 'auto',
  required: 'required',
  any: 'required',
}

const expected = '"none", "auto", "required" or an object that names a tool'

/**
 * Parses `tool_choice` in any form that clients of the chat and responses dialects send; absent means auto. Throws
 * ApiError 400 for unknown tools. Without tools, a required call is refused and anything else ignored.
 */
export function parseToolChoice(value: unknown, tools: readonly Tool[], path = 'tool_choice'): ToolChoice {
  const choice = readChoice(value, path)
  if (tools.length === 0) {
    if (choice.mode === 'required') throw invalidValue(path, '"none" or "auto" when there are no tools')
    return { mode: 'auto' }
  }
  const missing = choice.allowed?.find((name) => !tools.some((tool) => tool.name === name))
  if (missing === undefined) return choice
  throw invalidValue(path, `about tools of this request: there is no '${missing.slice(0, 100).toWellFormed()}'`)
}

/** Types of `tool_choice` that name a single tool, in any dialect. */
const naming = ['function', 'custom', 'tool', 'local_shell', 'tool_search']

/** Returns whether an answer may hold several calls. A `tool_choice` that names one tool allows one call. */
export function mayCallInParallel(toolChoice: unknown, isWanted = true): boolean {
  return isWanted && !(isObject(toolChoice) && naming.includes(String(toolChoice.type)))
}

function readChoice(value: unknown, path: string): ToolChoice {
  if (value === undefined || value === null) return { mode: 'auto' }
  if (typeof value === 'string') return readMode(value, path)
  if (!isObject(value)) throw invalidValue(path, expected)
  const choice = presentFields(value, path)
  switch (choice.type) {
    case 'function':
    case 'custom':
      return { mode: 'required', allowed: [readName(choice, path)] }
    case 'allowed_tools':
      return readAllowed(choice, path)
    default:
      if (typeof choice.type !== 'string') throw invalidValue(`${path}.type`, 'a string such as "function"')
      return readMode(choice.type, path)
  }
}

function readMode(name: string, path: string): ToolChoice {
  const mode = Object.hasOwn(modes, name) ? modes[name] : undefined
  if (mode === undefined) throw invalidValue(path, expected)
  return { mode }
}

/** Parses the allowed tools. Chat puts them into an inner object, responses beside the type. */
function readAllowed(choice: Record<string, unknown>, path: string): ToolChoice {
  const isNested = choice.allowed_tools !== undefined
  const inner = isNested ? `${path}.allowed_tools` : path
  const { mode = 'auto', tools } = isNested ? presentFields(choice.allowed_tools, inner) : choice
  if (mode !== 'auto' && mode !== 'required') throw invalidValue(`${inner}.mode`, '"auto" or "required"')
  if (!Array.isArray(tools) || tools.length === 0) throw invalidValue(`${inner}.tools`, 'an array of at least one tool')
  if (tools.length > maxTools) throw invalidValue(`${inner}.tools`, `an array of at most ${maxTools} tools`)
  const names = tools.map((tool, index) => {
    const toolPath = `${inner}.tools[${index}]`
    return readName(presentFields(tool, toolPath), toolPath)
  })
  return { mode, allowed: [...new Set(names)] }
}

/** Reads the name from `{type: 'function', function: {name}}` or from the object without the inner one. */
function readName(choice: Record<string, unknown>, path: string): string {
  const type = choice.type === 'custom' ? 'custom' : 'function'
  const inner = choice[type]
  const name = isObject(inner) && 'name' in inner ? inner.name : choice.name
  if (typeof name === 'string' && name !== '') return name
  throw invalidValue(`${path}.${type}.name`, 'the name of a tool')
}
