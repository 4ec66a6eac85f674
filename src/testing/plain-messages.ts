import { expect } from 'bun:test'
import type { ChatMessage } from '../core/chat.ts'
import { type Content, joinContents } from '../core/content.ts'

/** A message whose content is written as text. */
export type PlainMessage = Omit<ChatMessage, 'content'> & { readonly content: string }

/** Messages as a test likes to read them; a picture that a client sent is written as `<its place in the body>`. */
export function plainMessages(messages: readonly ChatMessage[]): PlainMessage[] {
  return messages.map((message) => ({ ...message, content: plainContent(message.content) }))
}

function plainContent(content: Content): string {
  // Equal to itself put together: no text is empty, and none stands next to another.
  expect(content).toEqual(content.reduce<Content>((joined, part) => joinContents(joined, [part], ''), []))
  return content.map((part) => (part.type === 'text' ? part.text : `<${part.param}>`)).join('')
}
