import type { ImageDetail, SentImagePart } from '../../core/content.ts'
import { isObject } from '../../core/json.ts'
import { invalidValue, missing } from '../check.ts'
import { unsupportedContent } from '../unsupported.ts'

type Fields = Readonly<Record<string, unknown>>

/** Types of picture parts. Clients of one dialect also send another's. */
const imageTypes = ['image_url', 'input_image', 'image', 'computer_screenshot']

export function isImageType(type: unknown): boolean {
  return typeof type === 'string' && imageTypes.includes(type)
}

/**
 * Returns the picture of a part. Its URL is not checked. `usualField` is the dialect's own. Throws ApiError 400 that
 * names the field if it has no URL, or the part if it refers to a file uploaded earlier.
 */
export function readImage(part: Fields, path: string, usualField: 'image_url' | 'source'): SentImagePart {
  const found = findUrl(part)
  if (found === undefined) {
    if (fileIdOf(part) === undefined)
      throw missing(`${path}.${usualField}`, usualField === 'source' ? expectedSource : expectedUrl)
    throw unsupportedContent(path, 'a picture by the id of a file', '. No files are kept here: send it as base64.')
  }
  if (typeof found.url !== 'string' || found.url === '') {
    throw invalidValue(`${path}.${found.field}`, found.field.endsWith('data') ? 'a picture as base64' : expectedUrl)
  }
  return toPart(part, found.url, path)
}

/**
 * Returns the picture of a part that a tool returned. Agents do not choose what their tools return, and models that
 * read only text ignore it: a picture without a URL gets an empty one, which vision models refuse.
 */
export function readToolImage(part: Fields, path: string): SentImagePart {
  const url = findUrl(part)?.url
  return toPart(part, typeof url === 'string' ? url : '', path)
}

const expectedUrl = 'a picture as base64, in a data: URL'
const expectedSource = 'an object with the type "base64" and the picture as its data'

/** Red pixel in PNG for examples in the API description. */
export const exampleData =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGP4z8AAAAMBAQDJ/pLvAAAAAElFTkSuQmCC'
export const exampleUrl = `data:image/png;base64,${exampleData}`

function toPart(part: Fields, url: string, param: string): SentImagePart {
  const { image_url: inner } = part
  const detail = (isObject(inner) ? inner.detail : undefined) ?? part.detail
  return { type: 'sent-image', url, detail: toDetail(detail), param }
}

const details: Readonly<Record<string, ImageDetail>> = { auto: 'auto', low: 'low', high: 'high', original: 'high' }

/** Returns the detail. It is a hint, so unknown values are ignored. */
export function toDetail(detail: unknown): ImageDetail {
  const known = typeof detail === 'string' && Object.hasOwn(details, detail) ? details[detail] : undefined
  return known ?? 'auto'
}

interface FoundUrl {
  /** Name of the part's field that holds it. */
  readonly field: string
  /** Unchecked. */
  readonly url: unknown
}

/**
 * Finds the URL of a picture. `image_url` is an object in chat/completions and a string in responses. `source` comes
 * from messages, `data` from tool servers, `url` and `image` from libraries.
 */
function findUrl(part: Fields): FoundUrl | undefined {
  const { source, data } = part
  for (const field of ['image_url', 'url', 'image']) {
    const value = part[field] ?? undefined
    if (isObject(value)) return { field: `${field}.url`, url: value.url }
    if (value !== undefined) return { field, url: value }
  }
  if (isObject(source)) {
    if (typeof source.file_id === 'string') return undefined
    if (source.type === 'url') return { field: 'source.url', url: source.url }
    return { field: 'source.data', url: dataUrl(source.data, source.media_type) }
  }
  return typeof data === 'string' ? { field: 'data', url: dataUrl(data, part.mimeType ?? part.mime_type) } : undefined
}

const mediaType = /^[\w.+-]+\/[\w.+-]+$/

/** Returns a data URL. The media type is a hint: an invalid one is left out. Some clients write a whole URL as data. */
export function dataUrl(data: unknown, type: unknown): unknown {
  if (typeof data !== 'string' || data === '' || data.startsWith('data:')) return data
  return `data:${typeof type === 'string' && mediaType.test(type) ? type : ''};base64,${data}`
}

function fileIdOf({ file_id, source }: Fields): unknown {
  return file_id ?? (isObject(source) ? source.file_id : undefined) ?? undefined
}
