/** Canonical messages in the shape that llama.cpp's templates read, the one of chat completions. */
import type { ChatMessage, Tool, ToolCall } from '../../../core/chat.ts'
import { type Content, contentText } from '../../../core/content.ts'
import { objectText, takeCall } from '../../shared/messages/call-arguments.ts'
import type { NativeChatFormat, NativeModel } from '../native.ts'
import type { PictureMarks } from './picture-marks.ts'

type TemplateMessage = Readonly<Record<string, unknown>>

/**
 * Returns the messages for a template. Never throws: whatever a client echoes back can be shown. `shortIds`: each
 * call's id has nine letters and digits, which some templates require. Pictures and recordings are replaced by marks.
 */
export function toTemplateMessages(
  messages: readonly ChatMessage[],
  shortIds: boolean,
  marks?: PictureMarks,
): TemplateMessage[] {
  const toId = shortIds ? shortId : (id: string) => id
  const unanswered: ToolCall[] = []
  return messages.map((message) => {
    const { role, content, name, reasoning, toolCalls = [], toolCallId } = message
    const common = {
      role,
      content: toTemplateContent(content, marks),
      ...(name === undefined ? {} : { name }),
      ...(reasoning === undefined ? {} : { reasoning_content: reasoning }),
    }
    if (role === 'tool') {
      const call = takeCall(unanswered, toolCallId)
      const id = toolCallId ?? call?.id ?? ''
      return { ...common, tool_call_id: toId(id), ...(call === undefined ? {} : { name: name ?? call.name }) }
    }
    unanswered.splice(0, unanswered.length, ...toolCalls)
    if (toolCalls.length === 0) return common
    return { ...common, tool_calls: toolCalls.map((call) => toTemplateCall(call, toId)) }
  })
}

/** Returns the content, as a plain string if it is text alone, which most templates need. */
function toTemplateContent(content: Content, marks: PictureMarks | undefined): string | TemplateMessage[] {
  if (content.every(({ type }) => type === 'text')) return contentText(content)
  return content.map((part) => {
    if (part.type === 'text') return { type: 'text', text: part.text }
    const isMedium = part.type === 'image' || part.type === 'sound'
    if (!isMedium || marks === undefined) throw new Error('an unchecked picture or recording: this is a bug')
    return { type: 'media_marker', text: marks.add(part) }
  })
}

/** Returns the tools as JSON text, '' for none. */
export function toToolsJson(tools: readonly Tool[]): string {
  if (tools.length === 0) return ''
  const functions = tools.map(({ name, description, parameters }) => ({
    type: 'function',
    function: { name, description: description ?? '', parameters },
  }))
  return JSON.stringify(functions)
}

/** Renders a finished conversation, as an example of how the template writes one. */
export function renderExample(
  model: Pick<NativeModel, 'applyTemplate'>,
  messages: readonly ChatMessage[],
  tools: readonly Tool[] = [],
): Promise<NativeChatFormat> {
  return model.applyTemplate({
    messagesJson: JSON.stringify(toTemplateMessages(messages, true)),
    toolsJson: toToolsJson(tools),
    toolChoice: tools.length > 0 ? 'auto' : 'none',
    parallelToolCalls: false,
    enableThinking: false,
    templateVariables: {},
    addGenerationPrompt: false,
    continueFinalMessage: false,
  })
}

function toTemplateCall({ id, name, argumentsText }: ToolCall, toId: (id: string) => string): TemplateMessage {
  return { id: toId(id), type: 'function', function: { name, arguments: objectText(argumentsText) } }
}

/** Returns a short id, equal for equal ids. Two ids of one conversation collide once in 10^13. */
function shortId(id: string): string {
  if (/^[a-zA-Z0-9]{9}$/.test(id)) return id
  return Bun.hash(id).toString(36).padStart(9, '0').slice(-9)
}

/**
 * Returns the first words of a text for a search in a prompt: templates change marks, quotes, line ends and other
 * alphabets, but not these. '' without such words.
 */
export function plainWords(text: string): string {
  return /[A-Za-z0-9_]+(?: [A-Za-z0-9_]+)*/.exec(text.slice(0, 200))?.[0] ?? ''
}
