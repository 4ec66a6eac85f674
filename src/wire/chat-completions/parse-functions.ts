import { isObject } from '../../core/json.ts'
import { parseToolChoice } from '../chat/tool-choice.ts'
import { collectTools, functionTool, requireToolCount, requireToolSize } from '../chat/tools.ts'
import { invalidValue, presentFields } from '../check.ts'
import type { ParsedTools } from './parse-tools.ts'

/**
 * Parses `functions` and `function_call` of a body without nulls, the predecessors of tools. Undefined if the body
 * names no functions. Throws ApiError 400.
 */
export function parseFunctions(fields: Readonly<Record<string, unknown>>): ParsedTools | undefined {
  const { functions: list = [], function_call: choice, tools = [] } = fields
  if (!Array.isArray(list)) throw invalidValue('functions', 'an array of functions')
  if (list.length === 0) {
    const asksForNone = choice === undefined || choice === 'none' || choice === 'auto'
    if (!asksForNone) throw invalidValue('function_call', '"none" or "auto" when there are no functions')
    return undefined
  }
  if (!Array.isArray(tools) || tools.length > 0) throw invalidValue('functions', 'left out where there are tools')
  requireToolCount(list.length, 'functions')
  requireToolSize(list, 'functions')
  const placed = list.map((each, index) => {
    const path = `functions[${index}]`
    return { tool: functionTool(presentFields(each, path), path), path }
  })
  const known = collectTools(placed)
  return {
    tools: known,
    toolChoice: parseToolChoice(asToolChoice(choice), known, 'function_call'),
    customNames: new Set(),
  }
}

/** Returns the choice in the form for tools. */
function asToolChoice(choice: unknown): unknown {
  if (choice === undefined || choice === 'none' || choice === 'auto') return choice
  const name = isObject(choice) ? choice.name : undefined
  if (typeof name === 'string' && name !== '') return { type: 'function', name }
  throw invalidValue('function_call', '"none", "auto" or an object with the name of a function')
}
