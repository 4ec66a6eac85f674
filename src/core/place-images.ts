import type { ChatMessage, ChatRequest } from './chat.ts'
import {
  type Content,
  type ContentPart,
  type ImagePart,
  joinContents,
  type SoundPart,
  type TextPart,
} from './content.ts'

/** Replacements of the sent parts of a request, in order. */
interface Replacements {
  readonly images: Iterator<ImagePart | TextPart>
  readonly documents: Iterator<Content>
  readonly sounds: Iterator<SoundPart | TextPart>
}

type Sent = Pick<ChatRequest, 'messages' | 'images' | 'documents' | 'sounds'>

/** Returns the request with `images`, `documents` and `sounds` placed in the messages. Throws if there are too few. */
export function placeImages({ images, documents, sounds, ...request }: ChatRequest): ChatRequest {
  return { ...request, messages: placedMessages({ messages: request.messages, images, documents, sounds }) }
}

/** Returns the messages of a request with its pictures, documents and recordings. Throws if there are too few. */
export function placedMessages({ messages, images, documents, sounds }: Sent): readonly ChatMessage[] {
  if ([images, documents, sounds].every((each) => each === undefined)) return messages
  const next = {
    images: (images ?? []).values(),
    documents: (documents ?? []).values(),
    sounds: (sounds ?? []).values(),
  }
  return messages.map((message) =>
    message.content.some(isSent) ? { ...message, content: placeInContent(message.content, next) } : message,
  )
}

function isSent({ type }: ContentPart): boolean {
  return type === 'sent-image' || type === 'sent-document' || type === 'sent-sound'
}

/**
 * Places pictures, documents and recordings in a content. Text that replaces a picture or a recording stands on a
 * separate line, and so does a document.
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

function takenFor(part: ContentPart, { images, documents, sounds }: Replacements): Content {
  if (part.type === 'sent-image') return [nextOf(images)]
  if (part.type === 'sent-sound') return [nextOf(sounds)]
  return part.type === 'sent-document' ? nextOf(documents) : [part]
}

function nextOf<Part>(parts: Iterator<Part>): Part {
  const { value, done } = parts.next()
  if (done === true) throw new Error('a picture, document or recording was not checked: this is a bug')
  return value
}
