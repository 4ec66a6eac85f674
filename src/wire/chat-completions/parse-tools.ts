import type { ChatRequest } from '../../core/chat.ts'
import { parseToolChoice } from '../chat/tool-choice.ts'
import {
  collectTools,
  customTool,
  functionTool,
  type PlacedTool,
  requireToolCount,
  requireToolSize,
} from '../chat/tools.ts'
import { invalidValue, presentFields } from '../check.ts'

export interface ParsedTools extends Pick<ChatRequest, 'tools' | 'toolChoice'> {
  /** Names of the tools whose calls come back with their input as plain text. */
  readonly customNames: ReadonlySet<string>
}

/** Parses `tools` and `tool_choice` of a body without nulls. Throws ApiError 400. */
export function parseTools(fields: Readonly<Record<string, unknown>>): ParsedTools {
  const list = fields.tools ?? []
  if (!Array.isArray(list)) throw invalidValue('tools', 'an array of tools')
  requireToolCount(list.length)
  requireToolSize(list)
  const placed = list.map((tool, index) => parseTool(tool, `tools[${index}]`))
  const tools = collectTools(placed)
  return {
    tools,
    toolChoice: parseToolChoice(fields.tool_choice, tools),
    customNames: new Set(placed.filter(({ isCustom }) => isCustom).map(({ tool }) => tool.name)),
  }
}

function parseTool(value: unknown, path: string): PlacedTool & { readonly isCustom: boolean } {
  const fields = presentFields(value, path)
  const { type } = fields
  if (type !== 'function' && type !== 'custom') throw invalidValue(`${path}.type`, '"function" or "custom"')
  const isCustom = type === 'custom'
  // The responses dialect has no inner object, and some clients confuse the two.
  const isFlat = fields[type] === undefined && fields.name !== undefined
  const inner = isFlat ? path : `${path}.${type}`
  const definition = isFlat ? fields : presentFields(fields[type], inner)
  return { tool: isCustom ? customTool(definition, inner) : functionTool(definition, inner), path: inner, isCustom }
}
