import type { ChatRequest } from '../../core/chat.ts'
import type { ContentPart, SentSoundPart } from '../../core/content.ts'
import { decodeBase64, decodeDataUrl, isDataUrl } from '../../images/data-url.ts'
import { Unreadable } from '../../images/unreadable.ts'

/** Recording taken out of a request's messages. Plain data, which can be sent to a thread. */
export interface SentSound extends Pick<SentSoundPart, 'param'> {
  readonly content:
    | { readonly kind: 'bytes'; readonly bytes: Uint8Array<ArrayBuffer>; readonly hash: string }
    /** Recording at another server. */
    | { readonly kind: 'url'; readonly url: string }
    /** `reason`: from an `Unreadable`. */
    | { readonly kind: 'unreadable'; readonly reason: string }
}

/**
 * Takes the recordings out of a request, in the order of its messages, and decodes their base64. Their places stay in
 * the messages, without the bytes. Reports an unreadable one as data, since not every model hears.
 */
export function takeSounds(request: ChatRequest): { readonly request: ChatRequest; readonly sounds: SentSound[] } {
  const sounds: SentSound[] = []
  const take = (part: ContentPart) => {
    if (part.type !== 'sent-sound') return part
    sounds.push({ param: part.param, content: contentOf(part) })
    return { ...part, url: '' }
  }
  const messages = request.messages.map((message) =>
    message.content.some(({ type }) => type === 'sent-sound')
      ? { ...message, content: message.content.map(take) }
      : message,
  )
  return sounds.length === 0 ? { request, sounds } : { request: { ...request, messages }, sounds }
}

function contentOf({ url }: SentSoundPart): SentSound['content'] {
  if (/^\s*https?:/i.test(url.slice(0, 64))) return { kind: 'url', url }
  try {
    return contentOfBytes(isDataUrl(url) ? decodeDataUrl(url) : decodeBase64(url))
  } catch (error) {
    if (error instanceof Unreadable) return { kind: 'unreadable', reason: error.message }
    throw error
  }
}

export function contentOfBytes(bytes: Uint8Array<ArrayBuffer>): SentSound['content'] {
  if (bytes.length === 0) return { kind: 'unreadable', reason: 'it is empty' }
  return { kind: 'bytes', bytes, hash: new Bun.CryptoHasher('sha256').update(bytes).digest('hex') }
}
