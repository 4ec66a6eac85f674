/** Canonical messages in the form that upstream servers take. */
import type { ChatMessage, ToolCall } from '../../../../core/chat.ts'
import { type Content, contentText, type ImagePart } from '../../../../core/content.ts'
import type { JsonObject, JsonValue } from '../../../../core/json.ts'
import { refusedPart } from '../../../shared/engine-errors.ts'
import { objectText, takeCall } from '../../../shared/messages/call-arguments.ts'
import { continuedText, normalizeHistory } from '../../../shared/messages/normalize-history.ts'
import { carefulAbilities } from '../../../shared/messages/template-abilities.ts'
import type { ChatForm } from '../chat-form.ts'

interface MessageOptions {
  readonly row: Pick<ChatForm, 'takesAnyMessages' | 'reasoningHistory'>
  readonly takesPictures: boolean
  /** Returns the `data:` URL of a picture. */
  readonly pictureUrl: (picture: ImagePart) => string
}

/**
 * Returns the messages in the server's format. Servers pass messages unchanged to a template, and many templates
 * refuse histories that clients send: two user turns in a row, a system message in the middle, results without a call,
 * pictures of a tool. Such histories are normalized first. Throws ApiError `unsupported_content` for a picture if the
 * server takes none.
 */
export function serverMessages(given: readonly ChatMessage[], options: MessageOptions): JsonObject[] {
  const isAsGiven = options.row.takesAnyMessages
  const messages = sentHistory(given, options.row)
  const unanswered: SentCall[] = []
  let calls = 0
  return messages.map((message) => {
    const { role, content, name, toolCalls, toolCallId } = message
    const sent: Record<string, JsonValue> = { role, content: serverContent(content, options) }
    if (name !== undefined && (isAsGiven || (role !== 'tool' && plainName.test(name)))) sent.name = name
    if (role === 'tool')
      return { ...sent, tool_call_id: takeCall(unanswered, toolCallId)?.sentId ?? toolCallId ?? 'call_0' }
    if (role !== 'assistant') return sent
    const { reasoning } = message
    const { reasoningHistory } = options.row
    if (reasoning !== undefined && reasoningHistory !== undefined) sent[reasoningHistory] = reasoning
    if (toolCalls === undefined) return sent
    const named = toolCalls.map((call) => ({ ...call, sentId: call.id === '' ? `call_${calls++}` : call.id }))
    unanswered.splice(0, unanswered.length, ...named)
    if (content.length === 0) sent.content = null
    return { ...sent, tool_calls: named.map((call) => serverCall(call, isAsGiven)) }
  })
}

/** Returns the text that the answer continues, or ''. */
export function sentBeginning(given: readonly ChatMessage[], row: Pick<ChatForm, 'takesAnyMessages'>): string {
  return continuedText(sentHistory(given, row))
}

/** Returns the history to send: normalized for an unknown template unless the server takes any messages. */
function sentHistory(given: readonly ChatMessage[], { takesAnyMessages }: Pick<ChatForm, 'takesAnyMessages'>) {
  return takesAnyMessages ? given : normalizeHistory(given, carefulAbilities)
}

/** Names that every server accepts. */
const plainName = /^[a-zA-Z0-9_-]{1,64}$/

interface SentCall extends ToolCall {
  /** Id sent to the server. Never empty, since many servers treat an empty id as missing. */
  readonly sentId: string
}

/**
 * Returns a call in the server's format. Servers parse the arguments of earlier calls as JSON and fail if a model
 * wrote anything else.
 */
function serverCall({ sentId, name, argumentsText }: SentCall, isAsGiven: boolean): JsonObject {
  const text = isAsGiven ? argumentsText : objectText(argumentsText)
  return { id: sentId, type: 'function', function: { name, arguments: text } }
}

function serverContent(content: Content, { takesPictures, pictureUrl }: MessageOptions): JsonValue {
  if (content.every(({ type }) => type === 'text')) return contentText(content)
  return content.map((part) => {
    if (part.type === 'text') return { type: 'text', text: part.text }
    if (part.type !== 'image' || !takesPictures) {
      throw refusedPart(part.param, 'is an image, which the servers of this model do not take. Send text')
    }
    const { detail } = part
    return { type: 'image_url', image_url: { url: pictureUrl(part), ...(detail !== 'auto' && { detail }) } }
  })
}
