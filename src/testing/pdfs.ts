/** PDF files for tests. */

interface PdfPage {
  /** Lines of text in Latin-1. */
  readonly lines: readonly string[]
  /** Width and height in points. Defaults to A4. */
  readonly size?: readonly [width: number, height: number]
  /** Further drawing operators before the text. */
  readonly drawing?: string
}

const a4 = [595, 842] as const

/** Returns a PDF with these pages, in Helvetica, which needs no font file. */
export function toPdf(pages: readonly PdfPage[]): Buffer {
  const kids = pages.map((_, index) => `${4 + index * 2} 0 R`).join(' ')
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    `<< /Type /Pages /Kids [${kids}] /Count ${pages.length} >>`,
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
    ...pages.flatMap(({ lines, size = a4, drawing = '' }, index) => {
      const page = `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 ${size.join(' ')}] /Contents ${5 + index * 2} 0 R /Resources << /Font << /F1 3 0 R >> >> >>`
      return [page, streamOf(`${drawing} BT /F1 11 Tf 14 TL 50 ${size[1] - 50} Td ${lines.map(toShown).join(' ')} ET`)]
    }),
  ]
  return toFile(objects)
}

/** Returns a PDF file of these objects, numbered from 1. The first is the catalog. */
export function toFile(objects: readonly string[], trailer = ''): Buffer {
  let file = '%PDF-1.7\n'
  const offsets = objects.map((object, index) => {
    const offset = file.length
    file += `${index + 1} 0 obj\n${object}\nendobj\n`
    return offset
  })
  const rows = offsets.map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`).join('')
  const size = objects.length + 1
  const table = `xref\n0 ${size}\n0000000000 65535 f \n${rows}`
  const end = `trailer\n<< /Size ${size} /Root 1 0 R ${trailer} >>\nstartxref\n${file.length}\n%%EOF\n`
  return Buffer.from(`${file}${table}${end}`, 'latin1')
}

/** Returns a stream object. `entries` are further entries of its dictionary. */
export function streamOf(content: string, entries = ''): string {
  return `<< /Length ${content.length} ${entries} >>\nstream\n${content}\nendstream`
}

function toShown(line: string): string {
  return `(${line.replaceAll(/[\\()]/g, '\\$&')}) Tj T*`
}
