import type { ImageDetail, SentImagePart } from '../../core/content.ts'
import { isObject } from '../../core/json.ts'
import { invalidValue, missing } from '../check.ts'
import { unsupportedContent } from '../unsupported.ts'

type Fields = Readonly<Record<string, unknown>>

/** Clients of one dialect also send what another one calls a picture. */
const imageTypes = ['image_url', 'input_image', 'image', 'computer_screenshot']

export function isImageType(type: unknown): boolean {
  return typeof type === 'string' && imageTypes.includes(type)
}

/**
 * The picture of a part. Its URL is not looked into. `usualField` is the one that parts of the dialect have. Throws ApiError
 * 400: it names the field where there is no URL, and the part where that refers to a file which was uploaded before.
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
 * The picture of a part that a tool returned. Agents do not choose what their tools return, and to a model that reads text only it
 * makes no difference: a picture without a URL has an empty one, which models that see refuse.
 */
export function readToolImage(part: Fields, path: string): SentImagePart {
  const url = findUrl(part)?.url
  return toPart(part, typeof url === 'string' ? url : '', path)
}

const expectedUrl = 'a picture as base64, in a data: URL'
const expectedSource = 'an object with the type "base64" and the picture as its data'

/** A red point in PNG, for the examples that the interface's description gives. */
export const exampleData =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGP4z8AAAAMBAQDJ/pLvAAAAAElFTkSuQmCC'
export const exampleUrl = `data:image/png;base64,${exampleData}`

function toPart(part: Fields, url: string, param: string): SentImagePart {
  const { image_url: inner } = part
  const detail = (isObject(inner) ? inner.detail : undefined) ?? part.detail
  return { type: 'sent-image', url, detail: toDetail(detail), param }
}

const details: Readonly<Record<string, ImageDetail>> = { auto: 'auto', low: 'low', high: 'high', original: 'high' }

/** A hint: one that is not known says nothing. */
function toDetail(detail: unknown): ImageDetail {
  const known = typeof detail === 'string' && Object.hasOwn(details, detail) ? details[detail] : undefined
  return known ?? 'auto'
}

interface FoundUrl {
  /** Where it stands in the part. */
  readonly field: string
  /** Unchecked. */
  readonly url: unknown
}

/**
 * `image_url` is an object in chat/completions and a string in responses; `source` is that of messages; `data` that of tool
 * servers; `url` and `image` are those of libraries.
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

/** The media type is a hint: one that is none is left out. Some clients write a whole URL as data. */
function dataUrl(data: unknown, type: unknown): unknown {
  if (typeof data !== 'string' || data === '' || data.startsWith('data:')) return data
  return `data:${typeof type === 'string' && mediaType.test(type) ? type : ''};base64,${data}`
}

function fileIdOf({ file_id, source }: Fields): unknown {
  return file_id ?? (isObject(source) ? source.file_id : undefined) ?? undefined
}
