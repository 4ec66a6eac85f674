import { Type } from '@sinclair/typebox'
import type { ChatMessage, ToolCall } from '../../core/chat.ts'
import { textContent } from '../../core/content.ts'
import { isDeeperThan } from '../chat/client-json.ts'
import { isImageType } from '../chat/read-image.ts'
import { openReasoning } from '../chat/sealed-reasoning.ts'
import { check, invalidValue, optionalAny, optionalText } from '../check.ts'
import { isServerBlock, serverBlockText } from './flatten-block.ts'
import { type Block, textOf } from './read-blocks.ts'

const ThinkingFields = Type.Object({ thinking: optionalText })
const ToolUseFields = Type.Object({
  id: Type.String({ minLength: 1, description: 'a string' }),
  name: Type.String({ minLength: 1, description: 'the name of a tool' }),
  input: optionalAny,
})

/** Deepest nesting of a call's input: deeper than any tool's schema, and far from overflowing the stack */
const maxInputDepth = 256

const ofOtherRoles = ['tool_result', 'document', 'search_result']

/**
 * Returns an assistant's blocks as one message. Thinking is accepted with any signature or none. Thinking sealed by
 * another server is left out, and so are unknown blocks: a server wrote them, and the conversation must be able to
 * continue. Throws ApiError 400.
 */
export function parseAssistant(blocks: readonly Block[]): ChatMessage {
  const misplaced = blocks.find(({ type }) => ofOtherRoles.includes(type) || isImageType(type))
  if (misplaced !== undefined) {
    throw invalidValue(`${misplaced.path}.type`, '"text", "thinking" or "tool_use" in an assistant message')
  }
  const reasoning = blocks.map(thinkingOf).join('')
  const toolCalls = blocks.filter(({ type }) => type === 'tool_use').map(parseToolUse)
  return {
    role: 'assistant',
    content: textContent(joinTexts(blocks)),
    ...(reasoning === '' ? {} : { reasoning }),
    ...(toolCalls.length === 0 ? {} : { toolCalls }),
  }
}

/** Joins text blocks: adjacent ones directly, since citations split one text, others by a line break. */
function joinTexts(blocks: readonly Block[]): string {
  let joined = ''
  let isNeighbour = true
  for (const block of blocks) {
    const isText = block.type === 'text'
    const text = isText ? textOf(block) : isServerBlock(block) ? serverBlockText(block) : ''
    if (text !== '') joined += joined === '' || (isText && isNeighbour) ? text : `\n${text}`
    isNeighbour = isText
  }
  return joined
}

/** Returns the thinking of a block, or from its signature if the text was not shown to the client. */
function thinkingOf({ type, fields, path }: Block): string {
  if (type !== 'thinking') return ''
  const { thinking = '' } = check(ThinkingFields, fields, path)
  if (thinking !== '') return thinking.toWellFormed()
  return typeof fields.signature === 'string' ? (openReasoning(fields.signature) ?? '') : ''
}

function parseToolUse({ fields, path }: Block): ToolCall {
  const { id, name, input } = check(ToolUseFields, fields, path)
  if (isDeeperThan(input, maxInputDepth)) {
    throw invalidValue(`${path}.input`, `an object nested at most ${maxInputDepth} levels deep`)
  }
  return {
    id: id.toWellFormed(),
    name: name.toWellFormed(),
    // A text input is an invalid call as the model wrote it, and stays unchanged.
    argumentsText: typeof input === 'string' ? input.toWellFormed() : JSON.stringify(input ?? {}),
  }
}
