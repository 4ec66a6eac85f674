import type { ChatRequest } from './chat.ts'
import { type Content, type ImagePart, joinContents, type TextPart } from './content.ts'

/** Returns the request with its `images` placed in the messages. Throws if there are too few. */
export function placeImages({ images, ...request }: ChatRequest): ChatRequest {
  if (images === undefined) return request
  const next = images.values()
  const messages = request.messages.map((message) =>
    message.content.some(({ type }) => type === 'sent-image')
      ? { ...message, content: placeInContent(message.content, next) }
      : message,
  )
  return { ...request, messages }
}

/** Places pictures in a content. A remark that replaces a picture stands on a separate line. */
function placeInContent(content: Content, images: Iterator<ImagePart | TextPart>): Content {
  let placed: Content = []
  let isAfterRemark = false
  for (const part of content) {
    const taken = part.type === 'sent-image' ? nextOf(images) : part
    const isRemark = part.type === 'sent-image' && taken.type === 'text'
    placed = joinContents(placed, [taken], isRemark || isAfterRemark ? '\n' : '')
    isAfterRemark = isRemark
  }
  return placed
}

function nextOf(images: Iterator<ImagePart | TextPart>): ImagePart | TextPart {
  const { value, done } = images.next()
  if (done === true) throw new Error('a picture was not checked: this is a bug')
  return value
}
