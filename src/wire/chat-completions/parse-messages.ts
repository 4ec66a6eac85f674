import { type Static, Type } from '@sinclair/typebox'
import type { ChatMessage, ToolCall } from '../../core/chat.ts'
import { type Content, textContent } from '../../core/content.ts'
import { isObject } from '../../core/json.ts'
import { oneOf } from '../../core/schemas.ts'
import { check, invalidValue, optionalAny, optionalText, presentFields } from '../check.ts'
import { limits } from '../limits.ts'
import { unsupportedParameter } from '../unsupported.ts'
import { parseContent } from './parse-content.ts'
import { parseCalledFunction, parseToolCalls } from './parse-tool-calls.ts'

/** Ending of errors about unsupported fields. */
const leaveOut = ' by this server in this form. Leave it out.'

const roles = ['system', 'developer', 'user', 'assistant', 'tool', 'function'] as const

const Message = Type.Object({
  role: oneOf(roles),
  name: optionalText,
  refusal: optionalText,
  tool_call_id: optionalText,
  tool_calls: optionalAny,
  function_call: optionalAny,
  content: optionalAny,
  reasoning_content: optionalAny,
  reasoning: optionalAny,
  reasoning_details: optionalAny,
})

/**
 * Returns the conversation in canonical form. Accepts any order of roles. Throws ApiError 400 with a dotted `param`.
 */
export function parseMessages(messages: readonly unknown[]): ChatMessage[] {
  if (countParts(messages) > limits.parts.most) {
    throw invalidValue('messages', `an array with at most ${limits.parts.most} content parts and tool calls in all`)
  }
  return messages.map((message, index) => parseMessage(message, `messages[${index}]`))
}

function countParts(messages: readonly unknown[]): number {
  let count = 0
  for (const message of messages) {
    if (typeof message !== 'object' || message === null) continue
    if ('content' in message && Array.isArray(message.content)) count += message.content.length
    if ('tool_calls' in message && Array.isArray(message.tool_calls)) count += message.tool_calls.length
    if ('reasoning_details' in message && Array.isArray(message.reasoning_details)) {
      count += message.reasoning_details.length
    }
  }
  return count
}

function parseMessage(value: unknown, path: string): ChatMessage {
  const fields = presentFields(value, path)
  const message = check(Message, fields, path)
  const role = toRole(message.role)
  const isAssistant = role === 'assistant'
  if (isAssistant && fields.audio !== undefined) throw unsupportedParameter(`${path}.audio`, leaveOut)
  const toolCalls = isAssistant ? callsOf(message, path) : []
  const reasoning = isAssistant ? echoedReasoning(message) : undefined
  // Older clients name the function instead of the call.
  const toolCallId = message.role === 'function' ? message.name : message.tool_call_id
  return {
    role,
    content: contentOf(message, path),
    ...(message.name === undefined ? {} : { name: message.name.toWellFormed() }),
    ...(reasoning === undefined ? {} : { reasoning }),
    ...(toolCalls.length === 0 ? {} : { toolCalls }),
    ...(role === 'tool' && toolCallId !== undefined ? { toolCallId: toolCallId.toWellFormed() } : {}),
  }
}

function callsOf(message: Static<typeof Message>, path: string): ToolCall[] {
  const calls = parseToolCalls(message.tool_calls, `${path}.tool_calls`)
  if (message.function_call === undefined) return calls
  const called = parseCalledFunction(message.function_call, `${path}.function_call`)
  return [...calls, { id: called.name, ...called }]
}

function toRole(role: Static<typeof Message>['role']): ChatMessage['role'] {
  if (role === 'developer') return 'system'
  if (role === 'function') return 'tool'
  return role
}

/** Returns the content, empty if absent: clients resend old messages, which they cannot correct. */
function contentOf(message: Static<typeof Message>, path: string): Content {
  if (message.content !== undefined) return parseContent(message.content, `${path}.content`, message.role)
  return textContent(message.role === 'assistant' ? (message.refusal ?? '').toWellFormed() : '')
}

/** Returns the reasoning that clients echo, in either spelling. Other shapes are ignored, never refused. */
function echoedReasoning(message: Static<typeof Message>): string | undefined {
  const text = message.reasoning_content ?? message.reasoning ?? detailedReasoning(message.reasoning_details)
  return typeof text === 'string' && text !== '' ? text.toWellFormed() : undefined
}

/** Returns the text of `reasoning_details`. Encrypted and summarized entries are skipped. */
function detailedReasoning(details: unknown): string | undefined {
  if (!Array.isArray(details)) return undefined
  const texts = details.map((detail) =>
    isObject(detail) && detail.type === 'reasoning.text' ? detail.text : undefined,
  )
  return texts.filter((text) => typeof text === 'string').join('')
}
