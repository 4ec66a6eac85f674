import type { ChatRequest } from './chat.ts'
import { type Content, type ContentPart, type ImagePart, joinContents, type TextPart } from './content.ts'

/** Replacements of the sent parts of a request, in order. */
interface Replacements {
  readonly images: Iterator<ImagePart | TextPart>
  readonly documents: Iterator<Content>
}

/** Returns the request with its `images` and `documents` placed in the messages. Throws if there are too few. */
export function placeImages({ images, documents, ...request }: ChatRequest): ChatRequest {
  if (images === undefined && documents === undefined) return request
  const next = { images: (images ?? []).values(), documents: (documents ?? []).values() }
  const messages = request.messages.map((message) =>
    message.content.some(isSent) ? { ...message, content: placeInContent(message.content, next) } : message,
  )
  return { ...request, messages }
}

function isSent({ type }: ContentPart): boolean {
  return type === 'sent-image' || type === 'sent-document'
}

/**
 * Places pictures and documents in a content. A remark that replaces a picture stands on a separate line, and so does
 * a document.
 */
function placeInContent(content: Content, next: Replacements): Content {
  let placed: Content = []
  let endsLine = false
  for (const part of content) {
    const taken = takenFor(part, next)
    const isLine = isSent(part) && taken[0]?.type === 'text'
    placed = joinContents(placed, taken, isLine || endsLine ? '\n' : '')
    if (taken.length > 0) endsLine = isSent(part) && taken.at(-1)?.type === 'text'
  }
  return placed
}

function takenFor(part: ContentPart, { images, documents }: Replacements): Content {
  if (part.type === 'sent-image') return [nextOf(images)]
  return part.type === 'sent-document' ? nextOf(documents) : [part]
}

function nextOf<Part>(parts: Iterator<Part>): Part {
  const { value, done } = parts.next()
  if (done === true) throw new Error('a picture or document was not checked: this is a bug')
  return value
}
