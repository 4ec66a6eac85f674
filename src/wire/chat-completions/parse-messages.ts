import { type Static, Type } from '@sinclair/typebox'
import type { ChatMessage } from '../../core/chat.ts'
import { ApiError } from '../../core/errors.ts'
import { check, invalidValue, presentFields } from '../check.ts'
import { parseContent } from './parse-content.ts'
import { refuse } from './refuse-unsupported.ts'

/** Of all messages together. Each costs time before a model sees it, and a body has room for millions. */
const maxParts = 65_536

const roles = ['system', 'developer', 'user', 'assistant', 'tool', 'function'] as const

const Message = Type.Object({
  role: Type.Union(
    roles.map((role) => Type.Literal(role)),
    { description: `one of ${roles.join(', ')}` },
  ),
  name: Type.Optional(Type.String({ description: 'a string' })),
  refusal: Type.Optional(Type.String({ description: 'a string' })),
  tool_call_id: Type.Optional(Type.String({ description: 'a string' })),
  content: Type.Optional(Type.Unknown()),
  reasoning_content: Type.Optional(Type.Unknown()),
  reasoning: Type.Optional(Type.Unknown()),
})

/** The conversation in canonical form. Any order of roles is accepted here. Throws ApiError 400 with a dotted `param`. */
export function parseMessages(messages: readonly unknown[]): ChatMessage[] {
  if (countParts(messages) > maxParts) {
    throw invalidValue('messages', `an array with at most ${maxParts} content parts in all`)
  }
  return messages.map((message, index) => parseMessage(message, `messages[${index}]`))
}

function countParts(messages: readonly unknown[]): number {
  let count = 0
  for (const message of messages) {
    if (typeof message !== 'object' || message === null || !('content' in message)) continue
    if (Array.isArray(message.content)) count += message.content.length
  }
  return count
}

function parseMessage(value: unknown, path: string): ChatMessage {
  const fields = presentFields(value, path)
  const message = check(Message, fields, path)
  const role = toRole(message.role)
  if (role === 'assistant') refuseToolCalls(fields, path)
  const reasoning = role === 'assistant' ? echoedReasoning(message) : undefined
  return {
    role,
    content: contentOf(message, path, reasoning !== undefined),
    ...(message.name === undefined ? {} : { name: message.name.toWellFormed() }),
    ...(reasoning === undefined ? {} : { reasoning }),
  }
}

function toRole(role: Static<typeof Message>['role']): ChatMessage['role'] {
  if (role === 'developer') return 'system'
  if (role === 'function') return 'tool'
  return role
}

/** Content may be missing only where an assistant turn says something else instead. */
function contentOf(message: Static<typeof Message>, path: string, hasReasoning: boolean): string {
  if (message.content !== undefined) return parseContent(message.content, `${path}.content`, message.role)
  if (message.role === 'assistant' && message.refusal !== undefined) return message.refusal.toWellFormed()
  if (message.role === 'assistant' && hasReasoning) return ''
  const param = `${path}.content`
  throw new ApiError('invalid_request', `'${param}' is required: it must be a string or an array of content parts.`, {
    code: 'missing_required_parameter',
    param,
  })
}

/** Clients echo what they were given, in either spelling and sometimes as other shapes: never a reason to refuse. */
function echoedReasoning(message: Static<typeof Message>): string | undefined {
  const text = message.reasoning_content ?? message.reasoning
  return typeof text === 'string' && text !== '' ? text.toWellFormed() : undefined
}

function refuseToolCalls(fields: Record<string, unknown>, path: string): void {
  const calls = fields.tool_calls
  if (calls !== undefined && !(Array.isArray(calls) && calls.length === 0)) refuse(`${path}.tool_calls`)
  for (const field of ['function_call', 'audio']) {
    if (fields[field] !== undefined) refuse(`${path}.${field}`)
  }
}
