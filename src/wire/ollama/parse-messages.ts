import { Type } from '@sinclair/typebox'
import type { ChatMessage, ToolCall } from '../../core/chat.ts'
import type { SentImagePart } from '../../core/content.ts'
import { type ContentPiece, toContent } from '../chat/content-pieces.ts'
import { parseContent } from '../chat-completions/parse-content.ts'
import { parseToolCalls } from '../chat-completions/parse-tool-calls.ts'
import { check, invalidValue, optionalAny, optionalText, presentFields } from '../check.ts'
import { limits } from '../limits.ts'

const roles: Readonly<Record<string, ChatMessage['role']>> = {
  system: 'system',
  developer: 'system',
  user: 'user',
  assistant: 'assistant',
  tool: 'tool',
}

const Message = Type.Object({
  role: Type.String({ description: `one of ${Object.keys(roles).join(', ')}` }),
  content: optionalAny,
  thinking: optionalAny,
  images: optionalAny,
  tool_calls: optionalAny,
  tool_name: optionalText,
  tool_call_id: optionalText,
})

/** Returns the conversation in canonical form. Throws ApiError 400 with a dotted `param`. */
export function parseMessages(messages: readonly unknown[]): ChatMessage[] {
  if (countParts(messages) > limits.parts.most) {
    throw invalidValue('messages', `an array with at most ${limits.parts.most} messages, images and tool calls in all`)
  }
  const open = new OpenCalls()
  return messages.map((message, index) => parseMessage(message, `messages[${index}]`, open))
}

function countParts(messages: readonly unknown[]): number {
  let count = messages.length
  for (const message of messages) {
    if (typeof message !== 'object' || message === null) continue
    for (const field of ['content', 'images', 'tool_calls']) {
      const list: unknown = Reflect.get(message, field)
      if (Array.isArray(list)) count += list.length
    }
  }
  return count
}

function parseMessage(value: unknown, path: string, open: OpenCalls): ChatMessage {
  const message = check(Message, presentFields(value, path), path)
  const name = message.role.toLowerCase()
  const role = Object.hasOwn(roles, name) ? roles[name] : undefined
  if (role === undefined) throw invalidValue(`${path}.role`, `one of ${Object.keys(roles).join(', ')}`)
  const { content = '', thinking } = message
  const images = parseImages(message.images, `${path}.images`)
  const said = parseContent(content, `${path}.content`, role)
  const whole = images.length === 0 ? said : toContent([...images, ...said.map(toPiece)], '\n')
  switch (role) {
    case 'tool':
      return { role, content: whole, ...open.answer(message.tool_call_id, message.tool_name) }
    case 'assistant': {
      const toolCalls = open.begin(parseToolCalls(message.tool_calls, `${path}.tool_calls`), path)
      return {
        role,
        content: whole,
        ...(typeof thinking === 'string' && thinking !== '' && { reasoning: thinking.toWellFormed() }),
        ...(toolCalls.length > 0 && { toolCalls }),
      }
    }
    default:
      return { role, content: whole }
  }
}

type ParsedPart = ReturnType<typeof parseContent>[number]

function toPiece(part: ParsedPart): ContentPiece {
  if (part.type === 'image' || part.type === 'sound')
    throw new Error('a medium was received before its request was read: this is a bug')
  return part.type === 'text' ? part.text : part
}

/** Parses pictures as bare base64. Accepts data: URLs too. Throws ApiError 400. */
export function parseImages(value: unknown, path: string): SentImagePart[] {
  if (value === undefined || value === null) return []
  if (!Array.isArray(value)) throw invalidValue(path, 'an array of pictures as base64')
  return value.map((image: unknown, index) => {
    const param = `${path}[${index}]`
    if (typeof image !== 'string' || image === '' || /^https?:/i.test(image)) {
      throw invalidValue(param, 'a picture as base64')
    }
    const url = image.startsWith('data:') ? image : `data:;base64,${image}`
    return { type: 'sent-image', url, detail: 'auto', param }
  })
}

/** Calls that wait for their results. Clients send results with an id, with a tool's name, or with neither. */
class OpenCalls {
  #calls: ToolCall[] = []

  /** Returns the calls of a turn with generated ids where missing. */
  begin(calls: readonly ToolCall[], path: string): ToolCall[] {
    const named = calls.map((call, index) => (call.id === '' ? { ...call, id: `${path}.${index}` } : call))
    if (named.length > 0) this.#calls = [...named]
    return named
  }

  /** Returns the call that a result belongs to: by id, by name, or the first without a result. */
  answer(id: string | undefined, name: string | undefined): Pick<ChatMessage, 'toolCallId' | 'name'> {
    const byId = this.#calls.findIndex((call) => call.id === id)
    const byName = this.#calls.findIndex((call) => call.name === name)
    const isUnknown = (id ?? '') !== '' && byId === -1
    const place = byId !== -1 ? byId : byName !== -1 ? byName : 0
    const [call] = isUnknown ? [] : this.#calls.splice(place, 1)
    const toolCallId = call?.id ?? id
    return {
      ...(toolCallId !== undefined && { toolCallId: toolCallId.toWellFormed() }),
      ...(name !== undefined && name !== '' && { name: name.toWellFormed() }),
    }
  }
}
