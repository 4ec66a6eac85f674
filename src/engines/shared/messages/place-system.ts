/** Moves system messages to where a template shows them. */
import type { ChatMessage } from '../../../core/chat.ts'
import { joinContents } from '../../../core/content.ts'
import type { TemplateAbilities } from './template-abilities.ts'

/** Separator of joined messages. */
export const paragraph = '\n\n'

/**
 * Joins the system messages at the beginning into one. Later ones are appended to the user message or result before
 * them, or become user messages: moving them to the beginning would change cached text.
 */
export function placeSystem(messages: readonly ChatMessage[], system: TemplateAbilities['system']): ChatMessage[] {
  if (system === 'anywhere') return [...messages]
  const placed: ChatMessage[] = []
  for (const message of messages) {
    const last = placed.at(-1)
    const isLast = message.role !== 'system' || last === undefined || last.role === 'assistant'
    if (!isLast) placed[placed.length - 1] = joined(last, message)
    else placed.push(message.role === 'system' && last !== undefined ? asUser(message) : message)
  }
  return system === 'first' ? placed : withoutHead(placed)
}

function withoutHead([head, next, ...rest]: readonly ChatMessage[]): ChatMessage[] {
  if (head === undefined) return []
  if (head.role !== 'system') return next === undefined ? [head] : [head, next, ...rest]
  if (next?.role !== 'user') return [asUser(head), ...(next === undefined ? [] : [next]), ...rest]
  return [{ ...next, content: joinContents(head.content, next.content, paragraph) }, ...rest]
}

function joined(first: ChatMessage, second: ChatMessage): ChatMessage {
  return { ...first, content: joinContents(first.content, second.content, paragraph) }
}

function asUser({ content }: ChatMessage): ChatMessage {
  return { role: 'user', content }
}
