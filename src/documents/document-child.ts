/** Program of the process that reads one document: the file at stdin, the question as a word, frames at stdout. */
import { Unreadable } from '../images/unreadable.ts'
import { toFrame } from './pdf/frames.ts'
import type { PdfAnswer, PdfQuestion } from './pdf/pdf-pages.ts'
import { openPdfium, type Pdfium } from './pdf/pdfium.ts'
import { readPages } from './pdf/read-pages.ts'

/** Reads the document and writes the answer, page by page. */
export async function runDocumentChild(question: string | undefined): Promise<void> {
  const pdfium = await openPdfium()
  const file = await Bun.stdin.bytes()
  for (const answer of answersTo(pdfium, file, JSON.parse(question ?? '') as PdfQuestion)) {
    await Bun.write(Bun.stdout, toFrame(answer))
  }
}

function* answersTo(pdfium: Pdfium, file: Uint8Array, question: PdfQuestion): Generator<PdfAnswer> {
  try {
    for (const page of readPages(pdfium, file, question)) yield { type: 'page', page }
    yield { type: 'end' }
  } catch (error) {
    yield { type: 'unreadable', reason: reasonOf(error, pdfium) }
  }
}

/** Returns why reading failed. PDFium ends by a trap when it has no memory left. */
function reasonOf(error: unknown, pdfium: Pdfium): string {
  if (error instanceof Unreadable) return error.message
  return pdfium.isFull() ? 'it takes too much memory' : 'its PDF is damaged'
}
