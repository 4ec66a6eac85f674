/** What a message says: a list of parts, in order. */

/** Texts are never empty, and never stand next to each other: equal contents are equal lists. */
export type Content = readonly ContentPart[]

export type ContentPart = TextPart | ImagePart | AudioPart

export interface TextPart {
  readonly type: 'text'
  readonly text: string
}

export interface ImagePart extends Media {
  readonly type: 'image'
  /** How closely the model should look; the more closely, the more tokens. */
  readonly detail: 'auto' | 'low' | 'high'
}

export interface AudioPart extends Media {
  readonly type: 'audio'
}

interface Media {
  /** SHA-256 of the bytes in hex: prompts with the same media share what was computed for them. */
  readonly hash: string
  /** For example `image/png`. */
  readonly mediaType: string
  readonly source: MediaSource
}

/** Where the bytes are: in a file of the spool, which lives as long as the request, or in memory. */
export type MediaSource =
  | { readonly kind: 'file'; readonly path: string }
  | { readonly kind: 'bytes'; readonly bytes: Uint8Array }

/** Content that is text alone. */
export function textContent(text: string): Content {
  return text === '' ? [] : [{ type: 'text', text }]
}

/** The text of the content, without its media. */
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
