import type { ChatRequest } from '../../core/chat.ts'

/** The body's `tools` and `tool_choice`. Throws ApiError 400. */
export function parseTools(
  _tools: unknown,
  _choice: unknown,
): Pick<ChatRequest, 'tools' | 'toolChoice' | 'parallelToolCalls'> {
  return { tools: [], toolChoice: { mode: 'auto' }, parallelToolCalls: true }
}
