import { Unreadable } from '../../images/unreadable.ts'
import { type DocumentPage, pagesLimit } from '../document-pages.ts'
import { paragraphsOf } from './paragraphs.ts'
import { readSheets } from './sheets.ts'
import { type OfficeParts, openParts } from './unpack.ts'

/** Yields the text of a .docx file, the sheets of an .xlsx file or the slides of a .pptx file. Throws Unreadable. */
export function* readOffice(file: Uint8Array): Generator<DocumentPage> {
  const parts = openParts(file)
  let pages = 0
  for (const page of pagesOf(parts)) {
    if (++pages > pagesLimit) throw new Unreadable(`it has more than ${pagesLimit} sheets or slides`)
    yield page
  }
}

function pagesOf(parts: OfficeParts): Iterable<DocumentPage> {
  if (parts.names.includes('word/document.xml')) return [{ text: paragraphsOf(parts.read('word/document.xml')) }]
  if (parts.names.includes('xl/workbook.xml')) return readSheets(parts)
  if (parts.names.includes('ppt/presentation.xml')) return readSlides(parts)
  throw new Unreadable('it is no document of a known kind')
}

function* readSlides(parts: OfficeParts): Generator<DocumentPage> {
  const numbers = parts.names.flatMap((name) => /^ppt\/slides\/slide(\d{1,6})\.xml$/.exec(name)?.[1] ?? [])
  for (const number of numbers.map(Number).sort((first, second) => first - second)) {
    yield { label: `slide ${number}`, text: paragraphsOf(parts.read(`ppt/slides/slide${number}.xml`)) }
  }
}
