import type { ChatRequest } from '../core/chat.ts'
import type { ContentPart, SentDocumentPart } from '../core/content.ts'
import { decodeBase64, decodeDataUrl, isDataUrl } from '../images/data-url.ts'
import { Unreadable } from '../images/unreadable.ts'
import { documentLimits } from './document-errors.ts'
import { identify } from './identify.ts'

/** Document taken out of a request's messages. Plain data, which can be sent to a thread. */
export interface SentDocument extends Pick<SentDocumentPart, 'detail' | 'name' | 'param'> {
  /** True if a tool returned the document, which the user did not choose. */
  readonly isToolResult: boolean
  readonly content: SentContent
}

export type SentContent =
  /** PDF or Office file. `hash`: SHA-256 of the bytes in hex. */
  | { readonly kind: 'file'; readonly bytes: Uint8Array<ArrayBuffer>; readonly hash: string }
  | { readonly kind: 'text'; readonly text: string }
  /** Document at another server. */
  | { readonly kind: 'url'; readonly url: string }
  | { readonly kind: 'too-large' }
  /** `what` names the kind. */
  | { readonly kind: 'other'; readonly what: string }
  /** `reason`: from an `Unreadable`. */
  | { readonly kind: 'unreadable'; readonly reason: string }

/**
 * Takes the documents out of a request, in the order of its messages, and decodes them. Their places stay in the
 * messages, without the bytes. Reports an unreadable document as data, since not every model reads it.
 */
export function takeDocuments(request: ChatRequest): {
  readonly request: ChatRequest
  readonly documents: SentDocument[]
} {
  const documents: SentDocument[] = []
  const messages = request.messages.map((message) => {
    const take = (part: ContentPart) => {
      if (part.type !== 'sent-document') return part
      const { detail, name, param } = part
      documents.push({ detail, name, param, isToolResult: message.role === 'tool', content: contentOf(part) })
      return { ...part, url: '' }
    }
    const { content } = message
    return content.some(({ type }) => type === 'sent-document') ? { ...message, content: content.map(take) } : message
  })
  return documents.length === 0 ? { request, documents } : { request: { ...request, messages }, documents }
}

function contentOf({ url }: SentDocumentPart): SentContent {
  if (/^\s*https?:/i.test(url.slice(0, 64))) return { kind: 'url', url }
  try {
    const bytes = isDataUrl(url) ? decodeDataUrl(url) : decodeBase64(url)
    return contentOfBytes(bytes, typeOf(url))
  } catch (error) {
    if (error instanceof Unreadable) return { kind: 'unreadable', reason: error.message }
    throw error
  }
}

/** Returns the content of a document's bytes. `type` is the media type that the client names, '' if none. */
export function contentOfBytes(bytes: Uint8Array<ArrayBuffer>, type: string): SentContent {
  if (bytes.length === 0) return { kind: 'unreadable', reason: 'it is empty' }
  if (bytes.length > documentLimits.bytes) return { kind: 'too-large' }
  const identified = identify(bytes, type)
  if (identified.kind !== 'file') return identified
  return { kind: 'file', bytes, hash: new Bun.CryptoHasher('sha256').update(bytes).digest('hex') }
}

/** Returns the media type that a `data:` URL names, '' if none. */
function typeOf(url: string): string {
  return /^\s*data:([\w.+/-]{1,100})/i.exec(url.slice(0, 256))?.[1]?.toLowerCase() ?? ''
}
