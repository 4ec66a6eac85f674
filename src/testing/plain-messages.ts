import { expect } from 'bun:test'
import type { ChatMessage } from '../core/chat.ts'
import { type Content, joinContents } from '../core/content.ts'

/** A message whose content is written as text. */
export type PlainMessage = Omit<ChatMessage, 'content'> & { readonly content: string }

/** Returns messages with their content as text. A picture that a client sent is written as `<its JSON path>`. */
export function plainMessages(messages: readonly ChatMessage[]): PlainMessage[] {
  return messages.map((message) => ({ ...message, content: plainContent(message.content) }))
}

function plainContent(content: Content): string {
  // Joining the parts again must change nothing: no text is empty, and no two texts are adjacent.
  expect(content).toEqual(content.reduce<Content>((joined, part) => joinContents(joined, [part], ''), []))
  return content.map((part) => (part.type === 'text' ? part.text : `<${part.param}>`)).join('')
}
