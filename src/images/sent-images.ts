import type { ChatRequest } from '../core/chat.ts'
import type { ContentPart, SentImagePart } from '../core/content.ts'
import { decodeBase64, decodeDataUrl, isDataUrl } from './data-url.ts'
import type { ImageHeader } from './header/image-format.ts'
import { isPicture, readHeader } from './header/read-header.ts'
import { Unreadable } from './unreadable.ts'

/** Picture taken out of a request's messages. Plain data, which can be sent to a thread. */
export interface SentImage extends Pick<SentImagePart, 'detail' | 'param'> {
  /** True if a tool returned the picture, which the user did not choose. */
  readonly isToolResult: boolean
  readonly content: SentContent
}

type SentContent =
  | ({ readonly kind: 'bytes' } & ImageBytes)
  /** Picture at another server. */
  | { readonly kind: 'url'; readonly url: string }
  /** `reason`: from an `Unreadable`. */
  | { readonly kind: 'unreadable'; readonly reason: string }

/** Picture as a whole file, and its header. */
export interface ImageBytes {
  readonly bytes: Uint8Array<ArrayBuffer>
  /** SHA-256 of the bytes in hex. */
  readonly hash: string
  readonly header: ImageHeader
}

/**
 * Takes the pictures out of a request, in the order of its messages, and decodes those in `data:` URLs. Their places
 * stay in the messages, without the URLs. Reports an unreadable picture as data, since not every model wants it.
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

/** Base64 characters that suffice to tell a format. */
const beginningLength = 64

/**
 * Returns the decoder of a URL; undefined if there is none. Some clients send base64 without the start of a `data:`
 * URL.
 */
function decoderOf(url: string): ((url: string) => Uint8Array<ArrayBuffer>) | undefined {
  if (isDataUrl(url)) return decodeDataUrl
  return isPicture(Buffer.from(url.slice(0, beginningLength), 'base64')) ? decodeBase64 : undefined
}
