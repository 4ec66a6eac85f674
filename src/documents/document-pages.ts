/** Question to the process that reads a document, its answers, and their limits. */
import { Unreadable } from '../images/unreadable.ts'

export interface DocumentQuestion {
  /** Pages to show as pictures: `scans` are those with little text. */
  readonly pictures: 'none' | 'scans' | 'all'
  /** False if only the sizes of pictures are needed, as for counting tokens. */
  readonly hasPixels: boolean
}

/** Page of a PDF, sheet of a table, or slide. A text document is one page. */
export interface DocumentPage {
  /** Words for the model before the text, such as `page 3`. Absent for a text document. */
  readonly label?: string
  readonly text: string
  readonly picture?: PagePicture
}

export interface PagePicture {
  /** PNG file. Empty if only the size is needed. */
  readonly png: Uint8Array
  readonly width: number
  readonly height: number
}

/** All pages in order and `end`, or `unreadable`, whose `reason` completes "the document cannot be read: …". */
export type DocumentAnswer =
  | { readonly type: 'page'; readonly page: DocumentPage }
  | { readonly type: 'end' }
  | { readonly type: 'unreadable'; readonly reason: string }

/** Pages, sheets or slides of a document. */
export const pagesLimit = 100

/** Characters of all documents of a request. */
export const charactersLimit = 4_000_000

/** Throws Unreadable if this many characters exceed the limit. */
export function requireShort(characters: number): void {
  if (characters > charactersLimit) throw new Unreadable('the documents of the request have too much text')
}

/** Bytes of all pictures of a document. A page full of colours takes 4 MB. */
export const picturesLimitBytes = 512 * 1024 * 1024
