/** Tools, and which of them the model may call. */
import type { ChatRequest, Tool } from '../../../../core/chat.ts'
import type { JsonObject, JsonValue } from '../../../../core/json.ts'
import { unsupportedParameter } from '../../../shared/engine-errors.ts'
import type { Abilities, ChatForm } from '../chat-form.ts'

/** Returns whether the answer may contain a call. */
export function mayCall({ tools, toolChoice }: ChatRequest): boolean {
  return tools.length > 0 && toolChoice.mode !== 'none'
}

/**
 * Returns the fields; none without tools, since some servers refuse an empty list or a choice without tools. If the
 * server supports it, the model sees all tools, even those that it may not call. Otherwise it sees only those that it
 * may call. Throws ApiError `unsupported_parameter`.
 */
export function toolFields(
  request: ChatRequest,
  abilities: Abilities,
  row: Pick<ChatForm, 'hasParallelCalls' | 'keepsToNoCall'>,
): JsonObject {
  const { tools, toolChoice, parallelToolCalls } = request
  if (tools.length === 0) return {}
  if (!abilities.tools) {
    throw unsupportedParameter('tools', ' by the servers of this model. Leave it out, or choose another model.')
  }
  if (toolChoice.mode === 'none' && !row.keepsToNoCall) return {}
  const { shown, choice } = chosen(tools, toolChoice, abilities)
  return {
    tools: shown.map(serverTool),
    tool_choice: choice,
    ...(row.hasParallelCalls && { parallel_tool_calls: parallelToolCalls }),
  }
}

function chosen(
  tools: readonly Tool[],
  { mode, allowed }: ChatRequest['toolChoice'],
  abilities: Abilities,
): { readonly shown: readonly Tool[]; readonly choice: JsonValue } {
  if (mode === 'none' || allowed === undefined) return { shown: tools, choice: mode }
  const [first] = allowed
  if (mode === 'required' && allowed.length === 1 && first !== undefined && abilities.namedTools) {
    return { shown: tools, choice: namedTool(first) }
  }
  if (abilities.allowedTools) {
    const choice = { type: 'allowed_tools', allowed_tools: { mode, tools: allowed.map(namedTool) } }
    return { shown: tools, choice }
  }
  return { shown: tools.filter(({ name }) => allowed.includes(name)), choice: mode }
}

function namedTool(name: string): JsonObject {
  return { type: 'function', function: { name } }
}

/** Returns a tool with the caller's schema. */
function serverTool({ name, description, parameters, parametersOrigin }: Tool): JsonObject {
  return {
    type: 'function',
    function: {
      name,
      ...(description !== undefined && { description }),
      parameters,
      ...(parametersOrigin?.isStrict === true && { strict: true }),
    },
  }
}
