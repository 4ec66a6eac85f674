/** Moves pictures of tools' results into user messages, for templates that do not show them in results. */
import type { ChatMessage } from '../../../core/chat.ts'
import { type Content, type ContentPart, joinContents, textContent } from '../../../core/content.ts'

const note = textContent("The tool's images:\n")
/** Text in place of a moved picture. */
const reference: ContentPart = { type: 'text', text: '[image]' }

/**
 * Returns the messages with the pictures of results moved into a user message after the results; unchanged if there
 * are none.
 */
export function withPicturesBehindTools(messages: readonly ChatMessage[]): readonly ChatMessage[] {
  const moved: ChatMessage[] = []
  let pictures: ContentPart[] = []
  for (const message of messages) {
    if (message.role !== 'tool') {
      moved.push(...shownByUser(pictures), message)
      pictures = []
      continue
    }
    const own = message.content.filter(({ type }) => type !== 'text')
    pictures.push(...own)
    moved.push(own.length === 0 ? message : { ...message, content: withReferences(message.content) })
  }
  moved.push(...shownByUser(pictures))
  return moved.length === messages.length ? messages : moved
}

function shownByUser(pictures: Content): ChatMessage[] {
  return pictures.length === 0 ? [] : [{ role: 'user', content: [...note, ...pictures] }]
}

function withReferences(content: Content): Content {
  return content.reduce<Content>(
    (before, part) => joinContents(before, [part.type === 'text' ? part : reference], ''),
    [],
  )
}
