/** Content of a message: a list of parts in order. */

/** List of parts. Texts are never empty or adjacent, so equal contents are equal lists. */
export type Content = readonly ContentPart[]

export type ContentPart = TextPart | ImagePart | SoundPart | SentImagePart | SentDocumentPart | SentSoundPart

export interface TextPart {
  readonly type: 'text'
  readonly text: string
}

/**
 * Picture as the client sent it. The server checks it and replaces it by an `ImagePart` before an engine sees the
 * request.
 */
export interface SentImagePart {
  readonly type: 'sent-image'
  /** `data:`, `http:` or `https:` URL, unchecked. */
  readonly url: string
  readonly detail: ImageDetail
  /** Place in the client's request, for errors. */
  readonly param: string
}

/**
 * Document as the client sent it. The server replaces it by its text and the pictures of its pages before an engine
 * sees the request.
 */
export interface SentDocumentPart {
  readonly type: 'sent-document'
  /** `data:`, `http:` or `https:` URL, or base64, unchecked. */
  readonly url: string
  /** Name of the file, for the model. */
  readonly name?: string | undefined
  /** `low` shows no pictures of pages with text. */
  readonly detail: ImageDetail
  /** Place in the client's request, for errors. */
  readonly param: string
}

/**
 * Recording as the client sent it. The server replaces it by a `SoundPart` or, for a model that does not hear, by its
 * transcript, before an engine sees the request.
 */
export interface SentSoundPart {
  readonly type: 'sent-sound'
  /** `data:`, `http:` or `https:` URL, or base64, unchecked. */
  readonly url: string
  /** Place in the client's request, for errors. */
  readonly param: string
}

/** Requested detail. `low` shows the model a smaller picture, which takes fewer tokens. */
export type ImageDetail = 'auto' | 'low' | 'high'

/** Picture in a spool file that lives as long as the request. Its header has been checked, its pixels have not. */
export interface ImagePart {
  readonly type: 'image'
  /** SHA-256 of the bytes in hex. Prompts with the same picture share its computed state. */
  readonly hash: string
  /** Path of the file. Empty if only the picture's size is needed, to count tokens. */
  readonly path: string
  readonly detail: ImageDetail
  /** Width in pixels in the file, before `orientation`. */
  readonly width: number
  readonly height: number
  /** EXIF orientation: 1 to 8, where 1 is upright. */
  readonly orientation: number
  /** Place in the client's request, for errors. */
  readonly param: string
}

/** Decoded recording in a spool file that lives as long as the request. */
export interface SoundPart {
  readonly type: 'sound'
  /** SHA-256 of the sent file in hex. Prompts with the same recording share its computed state. */
  readonly hash: string
  /** Path of a file of samples as in `AudioFile`. */
  readonly path: string
  readonly samples: number
  /** Place in the client's request, for errors. */
  readonly param: string
}

/** Returns content of text alone. */
export function textContent(text: string): Content {
  return text === '' ? [] : [{ type: 'text', text }]
}

/** Returns the text of the content without its pictures, recordings and documents. */
export function contentText(content: Content): string {
  return content.map((part) => (part.type === 'text' ? part.text : '')).join('')
}

/** Joins two contents, with the separator between them if neither is empty. */
export function joinContents(first: Content, second: Content, separator: string): Content {
  if (first.length === 0 || second.length === 0) return [...first, ...second]
  const joined: ContentPart[] = []
  for (const part of [...first, ...textContent(separator), ...second]) {
    const last = joined.at(-1)
    if (part.type === 'text' && last?.type === 'text') joined.splice(-1, 1, { ...last, text: last.text + part.text })
    else joined.push(part)
  }
  return joined
}
