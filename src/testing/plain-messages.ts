import { expect } from 'bun:test'
import type { ChatMessage } from '../core/chat.ts'
import { contentText, textContent } from '../core/content.ts'

/** A message whose content is text alone, written as that text. */
export type PlainMessage = Omit<ChatMessage, 'content'> & { readonly content: string }

/** Messages as a test likes to read them. Fails when a content is not one text. */
export function plainMessages(messages: readonly ChatMessage[]): PlainMessage[] {
  return messages.map((message) => {
    const text = contentText(message.content)
    expect(message.content).toEqual(textContent(text))
    return { ...message, content: text }
  })
}
