/** Kinds of documents, told by their first bytes: clients often name the type wrongly or not at all. */
import { isPicture } from '../images/header/read-header.ts'

export type Identified =
  /** PDF or Office file, which a process reads. */
  | { readonly kind: 'file' }
  | { readonly kind: 'text'; readonly text: string }
  /** `what` names the kind, such as "a ZIP file". */
  | { readonly kind: 'other'; readonly what: string }

/** Bytes among which a PDF begins: some programs write others before. */
const pdfWithin = 1024

const others: readonly (readonly [what: string, matches: (bytes: Buffer) => boolean])[] = [
  ['a picture in place of a document', isPicture],
  ['a ZIP file', isZip],
  ['a file of an old Office format', (bytes) => begins(bytes, '\xd0\xcf\x11\xe0')],
  ['a file of the format RTF', (bytes) => begins(bytes, '{\\rtf')],
]

/** Names inside Office files of each kind. ZIP files hold names as they are. */
const officeNames = ['word/document.xml', 'xl/workbook.xml', 'ppt/presentation.xml']

/** Identifies a document. `type` is the media type that the client names, '' if none. */
export function identify(file: Uint8Array, type: string): Identified {
  const bytes = Buffer.from(file.buffer, file.byteOffset, file.byteLength)
  if (isPdf(bytes) || (isZip(bytes) && officeNames.some((name) => bytes.includes(name)))) return { kind: 'file' }
  const [what] = others.find(([, matches]) => matches(bytes)) ?? []
  if (what !== undefined) return { kind: 'other', what }
  const text = textOf(bytes, type)
  if (text !== undefined) return { kind: 'text', text }
  return { kind: 'other', what: type === '' ? 'a document of an unknown type' : `a document of type '${type}'` }
}

/** Returns whether the bytes are a PDF. */
export function isPdf(bytes: Buffer): boolean {
  return bytes.subarray(0, pdfWithin).includes('%PDF-')
}

function isZip(bytes: Buffer): boolean {
  return begins(bytes, 'PK\x03\x04')
}

function begins(bytes: Buffer, text: string): boolean {
  return bytes.toString('latin1', 0, text.length) === text
}

/**
 * Returns the text of a file: UTF-8, UTF-16 with a byte order mark, or Windows' Western alphabet if the client says
 * that it is text. Undefined for other bytes.
 */
function textOf(bytes: Buffer, type: string): string | undefined {
  if (begins(bytes, '\xff\xfe')) return decoded(bytes, 'utf-16le')
  if (begins(bytes, '\xfe\xff')) return decoded(bytes, 'utf-16be')
  if (bytes.includes(0)) return undefined
  return decoded(bytes, 'utf-8') ?? (type.startsWith('text/') ? decoded(bytes, 'windows-1252') : undefined)
}

function decoded(bytes: Buffer, encoding: 'utf-8' | 'utf-16le' | 'utf-16be' | 'windows-1252'): string | undefined {
  try {
    return new TextDecoder(encoding as 'utf-8', { fatal: true }).decode(bytes).replaceAll('\r\n', '\n')
  } catch {
    return undefined
  }
}
