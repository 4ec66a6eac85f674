/** PDF files that take too long, take too much memory or are broken, with the expected outcome of each. */
import { deflateSync } from 'node:zlib'
import { streamOf, toFile, toPdf } from './pdfs.ts'

export interface PdfCase {
  readonly name: string
  readonly file: () => Uint8Array
  /** `ended` means read, refused or stopped at the limit of time. */
  readonly outcome: 'read' | 'refused' | 'ended'
}

const three = toPdf([{ lines: ['one'] }, { lines: ['two'] }, { lines: ['three'] }])
const mebibyte = 1024 * 1024

/** Returns a PDF of one page with these contents, resources and further objects, numbered from 5. */
function onePage(contents: string, resources = '', others: readonly string[] = [], page = '/MediaBox [0 0 595 842]') {
  return toFile([
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
    `<< /Type /Page /Parent 2 0 R ${page} /Contents 4 0 R /Resources << ${resources} >> >>`,
    contents,
    ...others,
  ])
}

const shown = streamOf('BT /F 12 Tf 50 700 Td (text) Tj ET')
const helvetica = '/Font << /F << /Type /Font /Subtype /Type1 /BaseFont /Helvetica >> >>'

/** Returns bytes compressed `times` over, as a stream. */
function bomb(bytes: number, times: number): string {
  let data: Buffer = Buffer.alloc(bytes, ' ')
  for (let index = 0; index < times; index++) data = deflateSync(data)
  return streamOf(data.toString('latin1'), `/Filter [${'/FlateDecode '.repeat(times)}]`)
}

function image(width: number, height: number, filter: string, data: string): string {
  const entries = `/Type /XObject /Subtype /Image /Width ${width} /Height ${height} /ColorSpace /DeviceGray /BitsPerComponent 8 ${filter}`
  return streamOf(data, entries)
}

const drawImage = streamOf('595 0 0 842 0 0 cm /X Do')
const withImage = '/XObject << /X 5 0 R >>'

/** Returns a page tree of this depth around one page. */
function deepTree(depth: number): Uint8Array {
  const nodes = Array.from({ length: depth }, (_, index) => {
    const parent = index === 0 ? '' : `/Parent ${index + 1} 0 R`
    return `<< /Type /Pages /Kids [${index + 3} 0 R] /Count 1 ${parent} >>`
  })
  const page = `<< /Type /Page /Parent ${depth + 1} 0 R /MediaBox [0 0 9 9] >>`
  return toFile(['<< /Type /Catalog /Pages 2 0 R >>', ...nodes, page])
}

/** Returns a PDF with bytes replaced at random places, the same for the same seed. */
function mutated(seed: number): Uint8Array {
  const bytes = Buffer.from(three)
  let state = seed
  const next = (limit: number) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return state % limit
  }
  for (let index = 0; index < 30; index++) bytes[next(bytes.length)] = next(256)
  return bytes
}

const text = (content: string) => Buffer.from(content, 'latin1')
const script = '<< /S /JavaScript /JS (while (true) app.alert(1)) >>'

export const hostilePdfs: readonly PdfCase[] = [
  { name: 'a header alone', file: () => text('%PDF-1.7\n'), outcome: 'refused' },
  { name: 'a header and noise', file: () => text(`%PDF-1.7\n${'\x9fobj<<'.repeat(9999)}`), outcome: 'refused' },
  ...[0.1, 0.5].map((part): PdfCase => {
    return { name: `${part} of a file`, file: () => three.subarray(0, three.length * part), outcome: 'refused' }
  }),
  { name: 'a file without its end', file: () => three.subarray(0, three.length - 60), outcome: 'ended' },
  { name: 'a file after noise', file: () => Buffer.concat([text('noise\n'), three]), outcome: 'read' },
  ...Array.from({ length: 24 }, (_, seed): PdfCase => {
    return { name: `mutation ${seed}`, file: () => mutated(seed + 1), outcome: 'ended' }
  }),
  { name: '101 pages', file: () => toPdf(Array.from({ length: 101 }, () => ({ lines: [] }))), outcome: 'refused' },
  { name: '100,000 pages', file: () => toPdf(Array.from({ length: 1e5 }, () => ({ lines: [] }))), outcome: 'refused' },
  {
    name: '100,000 claimed pages',
    file: () => text(three.toString('latin1').replace('/Count 3', '/Count 100000')),
    outcome: 'ended',
  },
  {
    name: 'pages that contain themselves',
    file: () => toFile(['<< /Type /Catalog /Pages 2 0 R >>', '<< /Type /Pages /Kids [2 0 R 2 0 R] /Count 2 >>']),
    outcome: 'ended',
  },
  { name: 'a deep tree of pages', file: () => deepTree(20_000), outcome: 'ended' },
  {
    name: 'a table that follows itself',
    file: () => toFile(['<< /Type /Catalog /Pages 2 0 R >>'], `/Prev ${three.lastIndexOf('xref')}`),
    outcome: 'ended',
  },
  {
    name: 'an encrypted file',
    file: () => {
      const key = `<${'00'.repeat(32)}>`
      const encrypt = `/Encrypt << /Filter /Standard /V 1 /R 2 /O ${key} /U ${key} /P -4 >> /ID [<00> <00>]`
      return toFile(['<< /Type /Catalog /Pages 2 0 R >>', '<< /Type /Pages /Kids [] /Count 0 >>'], encrypt)
    },
    outcome: 'refused',
  },
  {
    name: 'scripts that loop',
    file: () => {
      const catalog = `<< /Type /Catalog /Pages 2 0 R /OpenAction ${script} /AA << /WC ${script} >> >>`
      const page = `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 9 9] /AA << /O ${script} >> >>`
      return toFile([catalog, '<< /Type /Pages /Kids [3 0 R] /Count 1 >>', page])
    },
    outcome: 'read',
  },
  { name: 'a form of the format XFA', file: () => xfa(), outcome: 'ended' },
  { name: 'a bomb of 64 MB', file: () => onePage(bomb(64 * mebibyte, 1)), outcome: 'ended' },
  { name: 'a bomb of 512 MB in two layers', file: () => onePage(bomb(512 * mebibyte, 2)), outcome: 'ended' },
  { name: 'a bomb of a picture', file: () => onePage(drawImage, withImage, [flatImage(30_000)]), outcome: 'ended' },
  {
    name: 'a picture that claims 60,000 pixels a side',
    file: () => onePage(drawImage, withImage, [image(60_000, 60_000, '', 'x')]),
    outcome: 'ended',
  },
  {
    name: 'a damaged JPEG 2000',
    file: () =>
      onePage(drawImage, withImage, [image(30_000, 30_000, '/Filter /JPXDecode', '\0\0\0\x0cjP  \r\n\x87\n')]),
    outcome: 'ended',
  },
  {
    name: 'a form that draws itself',
    file: () => {
      const form = '/Type /XObject /Subtype /Form /BBox [0 0 595 842] /Resources << /XObject << /X 5 0 R >> >>'
      return onePage(streamOf('/X Do'), withImage, [streamOf('/X Do /X Do /X Do', form)])
    },
    outcome: 'ended',
  },
  { name: 'forms that draw 10^12 times', file: () => formTree(12), outcome: 'ended' },
  { name: 'a million operators', file: () => onePage(streamOf('0 0 595 842 re f '.repeat(1e6))), outcome: 'ended' },
  { name: 'deep states', file: () => onePage(streamOf('q '.repeat(1e6))), outcome: 'ended' },
  { name: 'deep arrays', file: () => onePage(streamOf(`${'['.repeat(1e6)} TJ`)), outcome: 'ended' },
  { name: 'deep dictionaries', file: () => toFile(['<< /A '.repeat(1e5)]), outcome: 'refused' },
  { name: 'tiles of a thousandth', file: slowPdf, outcome: 'ended' },
  {
    name: 'a font as large as the file',
    file: () => {
      const program = streamOf('\0\x01\0\0\0\x09'.repeat(3e6), '/Length1 18000000')
      const descriptor = '<< /Type /FontDescriptor /FontName /A /Flags 32 /FontFile2 6 0 R >>'
      const font = '/Font << /F << /Type /Font /Subtype /TrueType /BaseFont /A /FontDescriptor 5 0 R >> >>'
      return onePage(shown, font, [descriptor, program])
    },
    outcome: 'ended',
  },
  {
    name: 'a glyph that shows itself',
    file: () => {
      const glyph = streamOf('1000 0 0 0 750 750 d1 BT /F 1 Tf (a) Tj ET')
      const font =
        '<< /Type /Font /Subtype /Type3 /FontBBox [0 0 750 750] /FontMatrix [0.001 0 0 0.001 0 0] /FirstChar 97 /LastChar 97 /Widths [1000] /Encoding << /Differences [97 /a] >> /CharProcs << /a 6 0 R >> /Resources << /Font << /F 5 0 R >> >> >>'
      return onePage(streamOf('BT /F 12 Tf 50 700 Td (aaa) Tj ET'), '/Font << /F 5 0 R >>', [font, glyph])
    },
    outcome: 'ended',
  },
  {
    name: 'a mask of itself',
    file: () => {
      const group =
        '/Type /XObject /Subtype /Form /BBox [0 0 595 842] /Group << /S /Transparency >> /Resources << /ExtGState << /G 5 0 R >> >>'
      const state = '<< /Type /ExtGState /SMask << /S /Luminosity /G 6 0 R >> >>'
      const mask = streamOf('/G gs 0 0 595 842 re f', group)
      return onePage(streamOf('/G gs 0 0 595 842 re f'), '/ExtGState << /G 5 0 R >>', [state, mask])
    },
    outcome: 'ended',
  },
  ...['[0 0 1e9 1e9]', '[0 0 0 0]', '[9 9 -9 -9]', '[0 0 1 100000]', '[]', '[0 0 1e-9 5]'].map((box): PdfCase => {
    return { name: `a page of ${box}`, file: () => onePage(shown, helvetica, [], `/MediaBox ${box}`), outcome: 'ended' }
  }),
  { name: 'a form of 100,000 long fields', file: () => fields(1e5), outcome: 'refused' },
  { name: '100,000 annotations', file: () => annotations(1e5), outcome: 'ended' },
  {
    name: 'ten million letters',
    file: () => onePage(streamOf(`BT /F 1 Tf ${`(${'a'.repeat(1000)}) Tj `.repeat(1e4)} ET`), helvetica),
    outcome: 'refused',
  },
]

function xfa(): Uint8Array {
  const form = '/AcroForm << /Fields [] /XFA 3 0 R >>'
  const page = '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 9 9] >>'
  const pages = '<< /Type /Pages /Kids [4 0 R] /Count 1 >>'
  const template = streamOf('<xdp:xdp xmlns:xdp="http://ns.adobe.com/xdp/"><template/></xdp:xdp>')
  return toFile([`<< /Type /Catalog /Pages 2 0 R ${form} >>`, pages, template, page])
}

function flatImage(side: number): string {
  const rows = deflateSync(Buffer.alloc(side * side)).toString('latin1')
  return image(side, side, '/Filter /FlateDecode', rows)
}

/** Returns forms that each draw the next one ten times. */
function formTree(depth: number): Uint8Array {
  const forms = Array.from({ length: depth }, (_, index) => {
    const resources = `/Resources << /XObject << /X ${index + 6} 0 R >> >>`
    return streamOf('/X Do '.repeat(10), `/Type /XObject /Subtype /Form /BBox [0 0 595 842] ${resources}`)
  })
  const leaf = streamOf('0 0 9 9 re f', '/Type /XObject /Subtype /Form /BBox [0 0 595 842]')
  return onePage(streamOf('/X Do'), withImage, [...forms, leaf])
}

/** Returns a PDF whose page takes minutes to draw. */
export function slowPdf(): Uint8Array {
  return tiles(0.001)
}

function tiles(step: number): Uint8Array {
  const entries = `/Type /Pattern /PatternType 1 /PaintType 1 /TilingType 1 /BBox [0 0 5 5] /XStep ${step} /YStep ${step} /Resources << >>`
  const fill = streamOf('/Pattern cs /P scn 0 0 595 842 re f')
  return onePage(fill, '/Pattern << /P 5 0 R >>', [streamOf('0 0 5 5 re f', entries)])
}

function fields(count: number): Uint8Array {
  const all = `[${'5 0 R '.repeat(count)}]`
  const field = `<< /Type /Annot /Subtype /Widget /FT /Tx /Rect [9 9 99 29] /T (a) /V (${'b'.repeat(8000)}) >>`
  return onePage(shown, helvetica, [field], `/MediaBox [0 0 595 842] /Annots ${all}`)
}

function annotations(count: number): Uint8Array {
  const all = `[${'5 0 R '.repeat(count)}]`
  const annotation = '<< /Type /Annot /Subtype /Square /Rect [0 0 595 842] /AP << /N 6 0 R >> >>'
  const look = streamOf('0 0 595 842 re f', '/Type /XObject /Subtype /Form /BBox [0 0 595 842]')
  return onePage(shown, helvetica, [annotation, look], `/MediaBox [0 0 595 842] /Annots ${all}`)
}
