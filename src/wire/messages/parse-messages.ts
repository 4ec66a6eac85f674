import { Type } from '@sinclair/typebox'
import type { ChatMessage } from '../../core/chat.ts'
import { textContent } from '../../core/content.ts'
import { oneOf } from '../../core/schemas.ts'
import { check, invalidValue, optionalAny, presentFields } from '../check.ts'
import { limits } from '../limits.ts'
import { isServerBlock } from './flatten-block.ts'
import { parseAssistant } from './parse-assistant.ts'
import { parseUser } from './parse-user.ts'
import { readBlocks, textsOf } from './read-blocks.ts'

const roles = ['user', 'assistant', 'system'] as const

const Message = Type.Object({
  role: oneOf(roles),
  content: optionalAny,
})

/** Start of a system block that changes with each request and would defeat the prefix cache */
const noise = 'x-anthropic-billing-header:'

/**
 * Returns the conversation in canonical form: `system` and leading system messages are one prompt, later ones stay in
 * place; tool results are messages of their own. Throws ApiError 400 with a dotted `param`.
 */
export function parseMessages(messages: readonly unknown[], system: unknown): ChatMessage[] {
  if (countBlocks(messages) + countBlocks(system) > limits.parts.most) {
    throw invalidValue('messages', `an array with at most ${limits.parts.most} content blocks in all`)
  }
  const leading = system === undefined ? [] : systemTexts(system, 'system')
  const conversation: ChatMessage[] = []
  for (const [index, value] of messages.entries()) {
    const path = `messages[${index}]`
    const fields = presentFields(value, path)
    const { role, content } = check(Message, fields, path)
    if (role === 'system') {
      const texts = systemTexts(content, `${path}.content`)
      if (conversation.length === 0) leading.push(...texts)
      else if (texts.length > 0) conversation.push({ role, content: textContent(texts.join('\n\n')) })
      continue
    }
    const blocks = readBlocks(content, `${path}.content`)
    conversation.push(...(role === 'user' ? parseUser(blocks) : [parseAssistant(blocks)]))
  }
  const prompt: ChatMessage[] =
    leading.length === 0 ? [] : [{ role: 'system', content: textContent(leading.join('\n\n')) }]
  return [...prompt, ...conversation]
}

function systemTexts(content: unknown, path: string): string[] {
  if (typeof content !== 'string') {
    return textsOf(content, path, isServerBlock).filter((text) => !text.startsWith(noise))
  }
  // In a string, only the first line is noise.
  const text = content.startsWith(noise) ? content.replace(/^.*\n?/, '') : content
  return text === '' ? [] : [text.toWellFormed()]
}

/** Levels at which blocks are counted: messages, tool results in them, documents in these, and their parts */
const blockDepth = 5

/** Returns the number of blocks, including nested ones. */
function countBlocks(blocks: unknown, depth = blockDepth): number {
  if (!Array.isArray(blocks) || depth === 0) return 0
  let count = blocks.length
  for (const block of blocks) {
    if (typeof block !== 'object' || block === null) continue
    if ('content' in block) count += countBlocks(block.content, depth - 1)
    if ('source' in block) count += countBlocks([block.source], depth - 1) - 1
  }
  return count
}
