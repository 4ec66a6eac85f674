import type { Pdfium } from './pdfium.ts'

/** Fields of a page that are read. */
const fieldsLimit = 1000

/** Annotations of a page that are looked at. */
const annotationsLimit = 10_000

/** Bytes of a name or a value that is read. */
const textBytes = 16 * 1024

/** Kind of annotation that is a form's field. */
const widget = 20

/** Returns the filled fields of a page's form, a line each: their text is not part of the page's. */
export function formFields(pdfium: Pdfium, page: number): string[] {
  const { call } = pdfium
  const lines: string[] = []
  const count = Math.min(annotationsLimit, call.FPDFPage_GetAnnotCount(page))
  for (let index = 0; index < count && lines.length < fieldsLimit; index++) {
    const annotation = call.FPDFPage_GetAnnot(page, index)
    if (annotation === 0) continue
    const isField = call.FPDFAnnot_GetSubtype(annotation) === widget
    const value = isField ? entryOf(pdfium, annotation, 'V') : ''
    if (value !== '') lines.push(`${entryOf(pdfium, annotation, 'T')}: ${value}`)
    call.FPDFPage_CloseAnnot(annotation)
  }
  return lines
}

/** Returns a text of an annotation's dictionary, '' without one. */
function entryOf({ call, allocate, memory, free }: Pdfium, annotation: number, key: string): string {
  const bytes = call.FPDFAnnot_GetStringValue(annotation, key, 0, 0)
  // A terminator alone takes two bytes.
  if (bytes <= 2 || bytes > textBytes) return ''
  const at = allocate(bytes)
  call.FPDFAnnot_GetStringValue(annotation, key, at, bytes)
  const text = memory(at, bytes - 2).toString('utf16le')
  free(at)
  return text
}
