/** Question to the process that reads a PDF, and its answers. */

export interface PdfQuestion {
  /** Pages to show as pictures: `scans` are those with little text. */
  readonly pictures: 'none' | 'scans' | 'all'
  /** False if only the sizes of pictures are needed, as for counting tokens. */
  readonly hasPixels: boolean
  /** Characters of text that may be read. */
  readonly charactersLimit: number
}

export interface PdfPage {
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
export type PdfAnswer =
  | { readonly type: 'page'; readonly page: PdfPage }
  | { readonly type: 'end' }
  | { readonly type: 'unreadable'; readonly reason: string }

/** Pages of a PDF. */
export const pagesLimit = 100

/** Bytes of all pictures of a PDF. A page full of colours takes 4 MB. */
export const picturesLimitBytes = 512 * 1024 * 1024

/** Pixels of the longer side of a page's picture. Small print stays readable. */
const longSide = 1568

/** Largest enlargement: 144 pixels an inch. */
const maxScale = 2

/** Returns the size of a page's picture in pixels. `width` and `height` of the page are in points. */
export function pictureSize(width: number, height: number): { readonly width: number; readonly height: number } {
  const long = Math.max(width, height)
  const scale = long > 0 && Number.isFinite(long) ? Math.min(maxScale, longSide / long) : 0
  const pixels = (points: number) => Math.min(longSide, Math.max(1, Math.round(points * scale) || 1))
  return { width: pixels(width), height: pixels(height) }
}

/** Characters below which a page counts as a scan. */
const scanCharacters = 50

/** Returns whether a page is shown as a picture. */
export function needsPicture(text: string, pictures: PdfQuestion['pictures']): boolean {
  if (pictures !== 'scans') return pictures === 'all'
  return text.replace(/\s+/g, '').length < scanCharacters
}
