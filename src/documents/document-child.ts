/** Program of the process that reads one document: the file at stdin, the question as a word, frames at stdout. */
import { Unreadable } from '../images/unreadable.ts'
import {
  type DocumentAnswer,
  type DocumentPage,
  type DocumentQuestion,
  picturesLimitBytes,
  requireShort,
} from './document-pages.ts'
import { toFrame } from './frames.ts'
import { isPdf } from './identify.ts'
import { readOffice } from './office/read-office.ts'
import { openPdfium } from './pdf/pdfium.ts'
import { readPages } from './pdf/read-pages.ts'

/** Reads the document and writes the answer, page by page. */
export async function runDocumentChild(question: string | undefined): Promise<void> {
  for await (const answer of answersTo(await Bun.stdin.bytes(), JSON.parse(question ?? '') as DocumentQuestion)) {
    await Bun.write(Bun.stdout, toFrame(answer))
  }
}

async function* answersTo(file: Uint8Array, question: DocumentQuestion): AsyncGenerator<DocumentAnswer> {
  let characters = 0
  let bytesLeft = picturesLimitBytes
  try {
    for await (const page of pagesOf(file, question)) {
      characters += page.text.length
      bytesLeft -= page.picture?.png.length ?? 0
      requireShort(characters)
      if (bytesLeft < 0) throw new Unreadable('the pictures of its pages are too large')
      yield { type: 'page', page }
    }
    yield { type: 'end' }
  } catch (error) {
    yield { type: 'unreadable', reason: error instanceof Unreadable ? error.message : 'it is damaged' }
  }
}

async function* pagesOf(file: Uint8Array, question: DocumentQuestion): AsyncGenerator<DocumentPage> {
  if (!isPdf(Buffer.from(file.buffer, file.byteOffset, file.byteLength))) {
    yield* readOffice(file)
    return
  }
  const pdfium = await openPdfium()
  try {
    yield* readPages(pdfium, file, question)
  } catch (error) {
    // PDFium ends by a trap when it has no memory left.
    throw pdfium.isFull() ? new Unreadable('it takes too much memory') : error
  }
}
