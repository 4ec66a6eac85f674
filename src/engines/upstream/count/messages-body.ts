import type { ChatMessage, ChatRequest, ToolCall } from '../../../core/chat.ts'
import { contentText } from '../../../core/content.ts'
import { type JsonObject, objectIn } from '../../../core/json.ts'

/**
 * Returns the conversation in the format of `/messages`, for a chat without pictures. Omits thinking of earlier turns.
 */
export function toMessagesBody({ messages, tools, reasoning }: ChatRequest): JsonObject {
  return {
    messages: messages.map(toMessage),
    ...(tools.length > 0 && {
      tools: tools.map(({ name, description, parameters }) => ({
        name,
        ...(description !== undefined && { description }),
        input_schema: parameters,
      })),
    }),
    ...(reasoning.mode === 'on' && { thinking: { type: 'enabled', budget_tokens: 1024 } }),
  }
}

function toMessage({ role, content, toolCalls = [], toolCallId = '' }: ChatMessage): JsonObject {
  const text = contentText(content)
  const texts = text === '' ? [] : [{ type: 'text', text }]
  switch (role) {
    case 'tool':
      return { role: 'user', content: [{ type: 'tool_result', tool_use_id: toolCallId, content: text }] }
    case 'assistant':
      return { role, content: [...texts, ...toolCalls.map(toUse)] }
    default:
      return { role, content: texts }
  }
}

function toUse({ id, name, argumentsText }: ToolCall): JsonObject {
  return { type: 'tool_use', id, name, input: objectIn(argumentsText) ?? {} }
}
