import type { DocumentQuestion } from '../document-pages.ts'

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
export function needsPicture(text: string, pictures: DocumentQuestion['pictures']): boolean {
  if (pictures !== 'scans') return pictures === 'all'
  return text.replace(/\s+/g, '').length < scanCharacters
}
