/** Results of tools that a client printed as JSON, as the Vercel AI SDK does with everything but text. */
import { isObject, type JsonObject, jsonIn } from '../../core/json.ts'

/** Makes a part of this dialect of a file's URL and name, by how its media type begins. */
const files: readonly (readonly [mediaType: string, toPart: (url: string, filename: unknown) => object])[] = [
  ['image/', (url) => ({ type: 'image_url', image_url: url })],
  ['application/pdf', toDocument],
  ['application/vnd.openxmlformats-officedocument.', toDocument],
]

function toDocument(url: string, filename: unknown): object {
  return { type: 'file', file: { file_data: url, filename } }
}

/**
 * Returns the parts of a printed result in this dialect's form. Undefined if it holds no picture and no document, if a
 * part is none of them nor text, or if the text is anything else: it is then the tool's own text.
 */
export function printedParts(text: string): readonly object[] | undefined {
  if (!text.startsWith('[{"type":"') || !files.some(([type]) => text.includes(`"mediaType":"${type}`))) return undefined
  const list = jsonIn(text)
  const parts = Array.isArray(list) ? list.map(toPart) : [undefined]
  return parts.every((part) => part !== undefined) ? parts : undefined
}

function toPart(part: unknown): object | undefined {
  if (!isObject(part)) return undefined
  const { type, text, mediaType, filename } = part
  if (type === 'text') return typeof text === 'string' ? { type, text } : undefined
  if (typeof mediaType !== 'string') return undefined
  const [, make] = files.find(([start]) => mediaType.startsWith(start)) ?? []
  const url = urlOf(part, mediaType)
  return url === undefined ? undefined : make?.(url, filename)
}

function urlOf({ data }: JsonObject, mediaType: string): string | undefined {
  if (isObject(data) && typeof data.url === 'string') return data.url
  const base64 = isObject(data) ? data.data : data
  return typeof base64 === 'string' ? `data:${mediaType};base64,${base64}` : undefined
}
