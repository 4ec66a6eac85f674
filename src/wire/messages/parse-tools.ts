import { Type } from '@sinclair/typebox'
import type { ChatRequest, Tool } from '../../core/chat.ts'
import { ApiError } from '../../core/errors.ts'
import { isObject } from '../../core/json.ts'
import type { WebSearch } from '../../core/web-search.ts'
import { offeredSearch, SearchFilterFields, toFilter } from '../chat/search-tool.ts'
import { mayCallInParallel, parseToolChoice } from '../chat/tool-choice.ts'
import { collectTools, functionTool, type PlacedTool, requireToolCount, requireToolSize } from '../chat/tools.ts'
import { check, invalidValue, optionalFlag, optionalInteger, presentFields } from '../check.ts'
import type { SentTool } from './changed-tools.ts'

const ToolType = Type.Object({ type: Type.Optional(Type.String({ description: '"custom"' })) })

const Choice = Type.Object({
  type: Type.String({ description: '"auto", "any", "tool" or "none"' }),
  name: Type.Optional(Type.String({ description: 'the name of a tool' })),
  disable_parallel_tool_use: optionalFlag,
})

/** Parses the tools of a body and its `tool_choice`. Throws ApiError 400. */
export function parseTools(
  tools: readonly SentTool[],
  toolChoice: unknown,
): Pick<ChatRequest, 'tools' | 'toolChoice' | 'parallelToolCalls' | 'webSearch'> {
  requireToolCount(tools.length)
  requireToolSize(tools.map(({ value }) => value))
  const searches = tools.filter(isSearch)
  const offered = collectTools(tools.filter((tool) => !isSearch(tool)).flatMap(parseTool))
  const webSearch = searches.map((tool) => parseSearch(tool, offered)).at(-1)
  const callable = webSearch === undefined ? offered : [...offered, webSearch.tool]
  return { tools: offered, ...(webSearch && { webSearch }), ...parseChoice(toolChoice, callable) }
}

function isSearch({ value }: SentTool): boolean {
  return isObject(value) && typeof value.type === 'string' && /^web_search_\d{8}$/.test(value.type)
}

const Uses = Type.Object({ max_uses: optionalInteger(1) })

/** Reads the tool by which the server searches the web. Throws ApiError 400. */
function parseSearch({ value, path }: SentTool, others: readonly Tool[]): WebSearch {
  const fields = presentFields(value, path)
  const { max_uses: maxUses } = check(Uses, fields, path)
  const filter = toFilter(check(SearchFilterFields, fields, path))
  if (filter.allowedDomains !== undefined && filter.blockedDomains !== undefined) {
    throw invalidValue(`${path}.blocked_domains`, 'absent where there are allowed_domains')
  }
  return offeredSearch(others, { maxUses, ...filter })
}

function parseTool({ value, path }: SentTool): PlacedTool | [] {
  const fields = presentFields(value, path)
  const { type = 'custom' } = check(ToolType, fields, path)
  if (type === 'custom' || fields.input_schema !== undefined) {
    return { tool: functionTool(fields, path, 'input_schema'), path }
  }
  // The model would move the client's mouse, which no model here can. Without the tool the conversation makes no
  // sense.
  if (type.startsWith('computer_')) {
    const message = `'${path}' is of type '${type.slice(0, 100).toWellFormed()}', which no model here can use. Leave it out.`
    throw new ApiError('invalid_request', message, { code: 'unsupported_parameter', param: path })
  }
  // The vendor runs this tool, or its schema is known only to the vendor's models. The conversation goes on without
  // it.
  if (/_\d{8}$/.test(type) || type.startsWith('tool_search_tool_') || type === 'mcp_toolset') return []
  throw invalidValue(`${path}.type`, '"custom"')
}

function parseChoice(value: unknown, tools: readonly Tool[]): Pick<ChatRequest, 'toolChoice' | 'parallelToolCalls'> {
  if (value === undefined) return { toolChoice: { mode: 'auto' }, parallelToolCalls: true }
  const { type, name, disable_parallel_tool_use } = check(Choice, presentFields(value, 'tool_choice'), 'tool_choice')
  return {
    toolChoice: parseToolChoice(toSharedForm(type, name), tools),
    parallelToolCalls: mayCallInParallel({ type }, disable_parallel_tool_use !== true),
  }
}

/** Returns the choice in the other dialects' spelling. */
function toSharedForm(type: string, name: string | undefined): object {
  if (['auto', 'any', 'none'].includes(type)) return { type }
  if (type !== 'tool') throw invalidValue('tool_choice.type', '"auto", "any", "tool" or "none"')
  if (name === undefined) throw invalidValue('tool_choice.name', 'the name of a tool')
  return { type: 'function', name }
}
