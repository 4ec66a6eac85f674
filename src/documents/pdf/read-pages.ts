import { deflateSync } from 'node:zlib'
import { pngRowBytes, toPng } from '../../core/png.ts'
import { Unreadable } from '../../images/unreadable.ts'
import {
  charactersLimit,
  type DocumentPage,
  type DocumentQuestion,
  type PagePicture,
  pagesLimit,
} from '../document-pages.ts'
import { formFields } from './form-fields.ts'
import { needsPicture, pictureSize } from './page-picture.ts'
import type { Pdfium } from './pdfium.ts'

/** Codes of FPDF_GetLastError with their reasons. */
const loadErrors: Readonly<Record<number, string>> = {
  4: 'it is encrypted. Save it without a password',
  5: 'it is encrypted in a way that cannot be read',
}

/** Pixel format of three bytes. */
const bgr = 2
/** Rendering flags: annotations are shown, and red comes first. */
const rendering = 0x01 | 0x10
const white = 0xffffffff

/** Yields the text and the picture of each page. Throws Unreadable. */
export function* readPages(pdfium: Pdfium, file: Uint8Array, question: DocumentQuestion): Generator<DocumentPage> {
  const { call } = pdfium
  const at = pdfium.allocate(file.length)
  pdfium.memory(at, file.length).set(file)
  const document = call.FPDF_LoadMemDocument(at, file.length, '')
  if (document === 0) throw new Unreadable(loadErrors[call.FPDF_GetLastError()] ?? 'its PDF is damaged or cut short')
  const count = call.FPDF_GetPageCount(document)
  if (count < 1) throw new Unreadable('it has no pages')
  if (count > pagesLimit) throw new Unreadable(`it has ${count} pages; at most ${pagesLimit} are read`)
  for (let index = 0; index < count; index++) {
    yield readPage(pdfium, document, index, question)
  }
}

/** Reads a page. A damaged one is empty. */
function readPage(pdfium: Pdfium, document: number, index: number, question: DocumentQuestion): DocumentPage {
  const { call } = pdfium
  const page = call.FPDF_LoadPage(document, index)
  const label = `page ${index + 1}`
  if (page === 0) return { label, text: '' }
  try {
    const written = textOf(pdfium, page)
    const text = cleaned([written, ...formFields(pdfium, page)].join('\n'))
    if (!needsPicture(text, question.pictures)) return { label, text }
    return { label, text, picture: pictureOf(pdfium, page, question.hasPixels) }
  } finally {
    call.FPDF_ClosePage(page)
  }
}

function textOf(pdfium: Pdfium, page: number): string {
  const { call } = pdfium
  const text = call.FPDFText_LoadPage(page)
  if (text === 0) return ''
  try {
    // One character more than the limit shows that it is exceeded.
    const count = Math.min(call.FPDFText_CountChars(text), charactersLimit + 1)
    if (count <= 0) return ''
    const bytes = (count + 1) * 2
    const at = pdfium.allocate(bytes)
    const written = call.FPDFText_GetText(text, 0, count, at)
    const characters = pdfium.memory(at, Math.max(0, Math.min(bytes, (written - 1) * 2))).toString('utf16le')
    pdfium.free(at)
    return characters
  } finally {
    call.FPDFText_ClosePage(text)
  }
}

/** Mark of PDFium for a hyphen that ends a line. */
const softHyphen = '\u0002'

/** Returns the text with plain line ends, without control characters, and whole where a hyphen ended a line. */
function cleaned(text: string): string {
  const lines = text.replace(/\r\n?/g, '\n').replaceAll(`${softHyphen}\n`, '')
  return lines
    .replace(/[^\P{Cc}\n\t]|[\ufffe\uffff]/gu, '')
    .toWellFormed()
    .trim()
}

function pictureOf(pdfium: Pdfium, page: number, hasPixels: boolean): PagePicture {
  const { call } = pdfium
  const size = pictureSize(call.FPDF_GetPageWidthF(page), call.FPDF_GetPageHeightF(page))
  if (!hasPixels) return { ...size, png: new Uint8Array() }
  const { width, height } = size
  const bitmap = call.FPDFBitmap_CreateEx(width, height, bgr, 0, 0)
  if (bitmap === 0) throw new Unreadable('a page takes too much memory')
  try {
    call.FPDFBitmap_FillRect(bitmap, 0, 0, width, height, white)
    call.FPDF_RenderPageBitmap(bitmap, page, 0, 0, width, height, 0, rendering)
    const stride = call.FPDFBitmap_GetStride(bitmap)
    const pixels = pdfium.memory(call.FPDFBitmap_GetBuffer(bitmap), stride * height)
    return { ...size, png: pngOf(pixels, stride, size) }
  } finally {
    call.FPDFBitmap_Destroy(bitmap)
  }
}

/** Returns a PNG of RGB rows, each `stride` bytes long. Most pages have no colours, and are then a third as large. */
function pngOf(pixels: Buffer, stride: number, { width, height }: { readonly width: number; readonly height: number }) {
  const channels = isGrey(pixels, stride, width, height) ? 1 : 3
  const rowBytes = pngRowBytes(width, channels)
  const rows = Buffer.alloc(rowBytes * height)
  for (let y = 0; y < height; y++) {
    const from = y * stride
    let to = y * rowBytes + 1
    if (channels === 3) pixels.copy(rows, to, from, from + width * 3)
    else for (let x = 0; x < width; x++) rows[to++] = pixels[from + x * 3] ?? 0
  }
  return toPng({ width, height, channels }, deflateSync(rows, { level: 1 }))
}

function isGrey(pixels: Buffer, stride: number, width: number, height: number): boolean {
  for (let y = 0; y < height; y++) {
    for (let at = y * stride, end = at + width * 3; at < end; at += 3) {
      if (pixels[at] !== pixels[at + 1] || pixels[at] !== pixels[at + 2]) return false
    }
  }
  return true
}
