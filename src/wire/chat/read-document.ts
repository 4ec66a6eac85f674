import type { SentDocumentPart } from '../../core/content.ts'
import { isObject } from '../../core/json.ts'
import { invalidValue, missing } from '../check.ts'
import { unsupportedContent } from '../unsupported.ts'
import { dataUrl, toDetail } from './read-image.ts'

type Fields = Readonly<Record<string, unknown>>

/** Types of document parts. Clients of one dialect also send another's. */
const documentTypes = ['file', 'input_file', 'document']

export function isDocumentType(type: unknown): boolean {
  return typeof type === 'string' && documentTypes.includes(type)
}

/**
 * Returns the document of a part. Its bytes are not checked. `usualField` is the dialect's own. Throws ApiError 400
 * that names the field if it has no bytes, or the part if it refers to a file uploaded earlier.
 */
export function readDocument(
  part: Fields,
  path: string,
  usualField: 'file.file_data' | 'file_data' | 'source',
): SentDocumentPart {
  const found = findUrl(part)
  if (found === undefined) {
    if (!hasFileId(part)) throw missing(`${path}.${usualField}`, expectedData)
    throw unsupportedContent(path, 'a document by the id of a file', '. No files are kept here: send it as base64.')
  }
  if (typeof found.url !== 'string' || found.url === '') throw invalidValue(`${path}.${found.field}`, expectedData)
  return toPart(part, found.url, path)
}

/** Returns the document of a part that a tool returned, undefined for a part without one. */
export function readToolDocument(part: Fields, path: string): SentDocumentPart | undefined {
  if (!isDocumentType(part.type)) return undefined
  const url = findUrl(part)?.url
  return typeof url === 'string' && url !== '' ? toPart(part, url, path) : undefined
}

const expectedData = 'a document as base64, in a data: URL'

function toPart(part: Fields, url: string, param: string): SentDocumentPart {
  const { filename, detail } = isObject(part.file) ? { ...part, ...part.file } : part
  const name = typeof filename === 'string' && filename !== '' ? cleanName(filename) : undefined
  return { type: 'sent-document', url, name, detail: toDetail(detail), param }
}

const nameLength = 200

/** Returns a file's name on one line, of limited length. */
function cleanName(name: string): string {
  return name.slice(0, nameLength).replace(/\s+/g, ' ').toWellFormed().trim()
}

interface FoundUrl {
  /** Name of the part's field that holds it. */
  readonly field: string
  /** Unchecked. */
  readonly url: unknown
}

/**
 * Finds the URL or the base64 of a document. `file` is an object in chat/completions, and its fields are the part's own
 * in responses. `source` comes from messages.
 */
function findUrl(part: Fields): FoundUrl | undefined {
  const { source, file } = part
  if (isObject(source)) {
    if (source.type === 'url') return { field: 'source.url', url: source.url }
    if (source.type !== 'base64') return undefined
    return { field: 'source.data', url: dataUrl(source.data, source.media_type) }
  }
  const [fields, prefix] = isObject(file) ? [file, 'file.'] : [part, '']
  for (const field of ['file_data', 'file_url']) {
    const value = fields[field] ?? undefined
    if (value !== undefined) return { field: `${prefix}${field}`, url: value }
  }
  return undefined
}

function hasFileId(part: Fields): boolean {
  return [part, part.file, part.source].some((fields) => isObject(fields) && typeof fields.file_id === 'string')
}
