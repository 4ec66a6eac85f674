import type { ChatRequest } from '../core/chat.ts'
import type { ContentPart, SentImagePart } from '../core/content.ts'
import { decodeBase64, decodeDataUrl, isDataUrl } from './data-url.ts'
import type { ImageHeader } from './header/image-format.ts'
import { isPicture, readHeader } from './header/read-header.ts'
import { Unreadable } from './unreadable.ts'

/** A picture of a request, taken out of its messages. Plain data, which a thread can send. */
export interface SentImage extends Pick<SentImagePart, 'detail' | 'param'> {
  /** A tool returned it: the user does not answer for it. */
  readonly isToolResult: boolean
  readonly content: SentContent
}

type SentContent =
  | ({ readonly kind: 'bytes' } & ImageBytes)
  /** Picture at another server. */
  | { readonly kind: 'url'; readonly url: string }
  /** The reason comes from an `Unreadable`. */
  | { readonly kind: 'unreadable'; readonly reason: string }

/** A picture as a whole file whose header has been read. */
export interface ImageBytes {
  readonly bytes: Uint8Array<ArrayBuffer>
  /** SHA-256 of the bytes in hex. */
  readonly hash: string
  readonly header: ImageHeader
}

/**
 * Takes the pictures out of a request, in the order of its messages, and decodes those that `data:` URLs hold. What is
 * wrong with one is said when it is known whether the model wants it. Their places stay in the messages, without the URLs.
 */
export function takeImages(request: ChatRequest): { readonly request: ChatRequest; readonly images: SentImage[] } {
  const images: SentImage[] = []
  const messages = request.messages.map((message) => {
    const take = (part: ContentPart) => {
      if (part.type !== 'sent-image') return part
      const { detail, param } = part
      images.push({ detail, param, isToolResult: message.role === 'tool', content: contentOf(part) })
      return { ...part, url: '' }
    }
    const { content } = message
    return content.some(({ type }) => type === 'sent-image') ? { ...message, content: content.map(take) } : message
  })
  return images.length === 0 ? { request, images } : { request: { ...request, messages }, images }
}

function contentOf({ url }: SentImagePart): SentContent {
  const decode = decoderOf(url)
  if (decode === undefined) return { kind: 'url', url }
  try {
    const bytes = decode(url)
    const header = readHeader(bytes)
    return { kind: 'bytes', bytes, header, hash: new Bun.CryptoHasher('sha256').update(bytes).digest('hex') }
  } catch (error) {
    if (error instanceof Unreadable) return { kind: 'unreadable', reason: error.message }
    throw error
  }
}

/** Enough base64 to tell a format. */
const beginningLength = 64

/**
 * Returns the decoder of a URL; undefined if there is none. Some clients leave out the part of a `data:` URL before the
 * base64.
 */
function decoderOf(url: string): ((url: string) => Uint8Array<ArrayBuffer>) | undefined {
  if (isDataUrl(url)) return decodeDataUrl
  return isPicture(Buffer.from(url.slice(0, beginningLength), 'base64')) ? decodeBase64 : undefined
}
