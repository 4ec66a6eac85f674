import { Type } from '@sinclair/typebox'
import type { ChatMessage } from '../../core/chat.ts'
import { textContent } from '../../core/content.ts'
import { check, invalidValue, presentFields } from '../check.ts'
import { limits } from '../limits.ts'
import { isServerBlock } from './flatten-block.ts'
import { parseAssistant } from './parse-assistant.ts'
import { parseUser } from './parse-user.ts'
import { readBlocks, textsOf } from './read-blocks.ts'

const roles = ['user', 'assistant', 'system'] as const

const Message = Type.Object({
  role: Type.Union(
    roles.map((role) => Type.Literal(role)),
    { description: `one of ${roles.join(', ')}` },
  ),
  content: Type.Unknown({ description: 'a string or an array of content blocks' }),
})

/** System prompts begin with such a block: it changes from request to request, and with it the text to be cached. */
const noise = 'x-anthropic-billing-header:'

/**
 * The conversation in canonical form: `system` and the system messages that lead are one prompt, later ones stay in
 * place; tool results are messages of their own. Throws ApiError 400 with a dotted `param`.
 */
export function parseMessages(messages: readonly unknown[], system: unknown): ChatMessage[] {
  if (countBlocks(messages) + countBlocks(system) > limits.parts.most) {
    throw invalidValue('messages', `an array with at most ${limits.parts.most} content blocks in all`)
  }
  const leading = system === undefined ? [] : systemTexts(system, 'system')
  const conversation: ChatMessage[] = []
  const callIds = new Set<string>()
  for (const [index, value] of messages.entries()) {
    const path = `messages[${index}]`
    const fields = presentFields(value, path)
    // Settings of a single turn come as a system message that need not say anything.
    const { role, content } = check(Message, fields.role === 'system' ? { content: [], ...fields } : fields, path)
    if (role === 'system') {
      const texts = systemTexts(content, `${path}.content`)
      if (conversation.length === 0) leading.push(...texts)
      else if (texts.length > 0) conversation.push({ role, content: textContent(texts.join('\n\n')) })
      continue
    }
    const blocks = readBlocks(content, `${path}.content`)
    if (role === 'user') conversation.push(...parseUser(blocks, callIds))
    else {
      const message = parseAssistant(blocks)
      for (const { id } of message.toolCalls ?? []) callIds.add(id)
      conversation.push(message)
    }
  }
  const prompt: ChatMessage[] =
    leading.length === 0 ? [] : [{ role: 'system', content: textContent(leading.join('\n\n')) }]
  return [...prompt, ...placeSystem(withoutIdleEnd(conversation))]
}

/** A last assistant message is what the answer goes on with; one without text (thinking alone, say) is no beginning. */
function withoutIdleEnd(conversation: readonly ChatMessage[]): readonly ChatMessage[] {
  const last = conversation.at(-1)
  const isIdle = last?.role === 'assistant' && last.content.length === 0 && last.toolCalls === undefined
  return isIdle && conversation.length > 1 ? conversation.slice(0, -1) : conversation
}

function systemTexts(content: unknown, path: string): string[] {
  if (typeof content !== 'string') {
    return textsOf(content, path, isServerBlock).filter((text) => !text.startsWith(noise))
  }
  // A string is the whole prompt: only the line itself is noise.
  const text = content.startsWith(noise) ? content.replace(/^.*\n?/, '') : content
  return text === '' ? [] : [text.toWellFormed()]
}

/** Messages, their results, documents in these, what the documents are made of. */
const blockDepth = 5

/** Blocks of all messages, those inside of blocks too. */
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

/**
 * System messages stay where they stand, so that what comes before them stays the same text and cached; only between
 * calls and their results nothing may stand: there they move behind the results.
 */
function placeSystem(messages: readonly ChatMessage[]): ChatMessage[] {
  const placed: ChatMessage[] = []
  let held: ChatMessage[] = []
  let unanswered = new Set<string>()
  for (const message of messages) {
    if (message.role === 'system' && unanswered.size > 0) {
      held.push(message)
      continue
    }
    if (message.role === 'tool') {
      unanswered.delete(message.toolCallId ?? '')
      placed.push(message)
      if (unanswered.size > 0) continue
    }
    // The results are complete, or something else shows that no more will come.
    placed.push(...held)
    held = []
    if (message.role === 'tool') continue
    placed.push(message)
    unanswered = new Set(message.toolCalls?.map(({ id }) => id))
  }
  return [...placed, ...held]
}
