import type { Tool } from '../../core/chat.ts'
import { ApiError } from '../../core/errors.ts'
import { invalidValue } from '../check.ts'
import { schemaSize } from '../json-schema/check-schema.ts'

/** More than any prompt holds. */
export const maxTools = 1_024
/** Of the parameters of all tools together: each request that offers them pays for compiling them. */
const maxParameterCharacters = 1024 * 1024

export interface PlacedTool {
  readonly tool: Tool
  /** Dotted place in the body of what has the tool's name. */
  readonly path: string
}

/** Of a request's tools as they were sent. */
const maxSentCharacters = 2 * 1024 * 1024

/** Throws ApiError 400 for tools that are too long together. Ask before looking at any of them. */
export function requireToolSize(tools: unknown, path = 'tools'): void {
  if ((JSON.stringify(tools) ?? '').length > maxSentCharacters) {
    throw invalidValue(path, `an array of at most ${maxSentCharacters} characters`)
  }
}

/** Throws ApiError 400 for too many tools. Ask before looking at any of them. */
export function requireToolCount(count: number, path = 'tools'): void {
  if (count > maxTools) throw invalidValue(path, `an array of at most ${maxTools} tools`)
}

/** The tools of a request. Throws ApiError 400 for two of one name, and for more schemas than are worth compiling. */
export function collectTools(placed: readonly PlacedTool[], path = 'tools'): Tool[] {
  const names = new Set<string>()
  let characters = 0
  for (const { tool, path: toolPath } of placed) {
    if (names.has(tool.name)) {
      throw new ApiError('invalid_request', `'${toolPath}.name' is '${tool.name}', which another tool has already.`, {
        code: 'tool_name_conflict',
        param: `${toolPath}.name`,
      })
    }
    names.add(tool.name)
    characters += schemaSize(tool.parameters)
  }
  if (characters > maxParameterCharacters) {
    throw invalidValue(path, `tools whose parameters have at most ${maxParameterCharacters} characters together`)
  }
  return placed.map(({ tool }) => tool)
}
