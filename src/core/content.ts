/** What a message says: a list of parts, in order. */

/** Texts are never empty, and never stand next to each other: equal contents are equal lists. */
export type Content = readonly ContentPart[]

export type ContentPart = TextPart | ImagePart | SentImagePart

export interface TextPart {
  readonly type: 'text'
  readonly text: string
}

/** A picture as the client sent it. The server checks it and puts an `ImagePart` in its place before an engine sees the request. */
export interface SentImagePart {
  readonly type: 'sent-image'
  /** A `data:`, `http:` or `https:` URL; nothing of it is checked. */
  readonly url: string
  readonly detail: ImageDetail
  /** Its place in the client's own request, for errors. */
  readonly param: string
}

/** How closely the model should look: `low` shows it a smaller picture, which takes fewer tokens. */
export type ImageDetail = 'auto' | 'low' | 'high'

/** A picture in a file of the spool, which lives as long as the request. Its header has been checked; its pixels have not. */
export interface ImagePart {
  readonly type: 'image'
  /** SHA-256 of the bytes in hex: prompts with the same picture share what was computed for it. */
  readonly hash: string
  /** Empty where the picture's size alone is wanted, to count tokens. */
  readonly path: string
  readonly detail: ImageDetail
  /** Size in pixels as the file has them, before `orientation`. */
  readonly width: number
  readonly height: number
  /** How the pixels must be turned to stand upright, as EXIF numbers it: 1 to 8, 1 for not at all. */
  readonly orientation: number
  /** As in `SentImagePart`. */
  readonly param: string
}

/** Content that is text alone. */
export function textContent(text: string): Content {
  return text === '' ? [] : [{ type: 'text', text }]
}

/** The text of the content, without its pictures. */
export function contentText(content: Content): string {
  return content.map((part) => (part.type === 'text' ? part.text : '')).join('')
}

/** One content after the other, with the separator between them where both say something. */
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
