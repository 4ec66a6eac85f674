import type { ImagePart, TextPart } from '../core/content.ts'
import type { SentImage } from '../images/sent-images.ts'
import type { DocumentPage, PagePicture } from './document-pages.ts'
import type { SentDocument } from './sent-documents.ts'

/** Text of a document, and pictures of its pages, in order. */
export type DocumentContent = readonly (TextPart | ImagePart)[]

export interface LaidOut {
  readonly parts: DocumentContent
  /** Pages of a PDF, sheets or slides. */
  readonly pages: number
}

/** Returns the picture of a page. One without pixels has a hash of its own too. */
export function toImage(
  { detail, param, isToolResult, content }: SentDocument,
  label: string,
  { width, height, png }: PagePicture,
): SentImage {
  const bytes = new Uint8Array(png)
  const file = content.kind === 'file' ? content.hash : ''
  const hash = new Bun.CryptoHasher('sha256').update(bytes.length > 0 ? bytes : `${file} ${label}`).digest('hex')
  const header = { format: 'PNG', width, height, orientation: 1 }
  return { detail, param, isToolResult, content: { kind: 'bytes', bytes, hash, header } }
}

/** Content of a document as it grows: each page's label, text and picture. Texts stand on lines of their own. */
export class PageLayout implements LaidOut {
  readonly #parts: (TextPart | ImagePart)[] = []
  #lines: string[]
  #hasContent = false
  #pages = 0

  constructor(name: string | undefined) {
    this.#lines = name === undefined ? [] : [`[${name}]`]
  }

  /** True once a page has text or a picture. */
  get hasContent(): boolean {
    return this.#hasContent
  }

  get pages(): number {
    return this.#pages
  }

  get parts(): DocumentContent {
    return this.#lines.length === 0 ? this.#parts : [...this.#parts, textOf(this.#lines)]
  }

  /** Begins a page with its text. */
  begin({ label, text }: DocumentPage): void {
    if (label !== undefined) {
      this.#lines.push(`[${label}]`)
      this.#pages++
    }
    if (text === '') return
    this.#lines.push(text)
    this.#hasContent = true
  }

  /** Adds pictures to the page. */
  add(pictures: readonly (TextPart | ImagePart)[]): void {
    this.#parts.push(textOf(this.#lines), ...pictures)
    this.#lines = []
    this.#hasContent = true
  }
}

export function textOf(lines: readonly string[]): TextPart {
  return { type: 'text', text: lines.join('\n') }
}
