import { isObject, type JsonObject, jsonIn } from '../../core/json.ts'

/**
 * Returns the parts of a tool's result that a client printed as JSON, in this dialect's form, as the Vercel AI SDK does
 * with everything but text. Undefined for any other text, and if a part is neither text nor a picture: it is then the
 * tool's own text.
 */
export function printedParts(text: string): readonly object[] | undefined {
  if (!text.startsWith('[{"type":"') || !text.includes('"mediaType":"image/')) return undefined
  const list = jsonIn(text)
  const parts = Array.isArray(list) ? list.map(toPart) : [undefined]
  return parts.every((part) => part !== undefined) ? parts : undefined
}

function toPart(part: unknown): object | undefined {
  if (!isObject(part)) return undefined
  const { type, text, mediaType } = part
  if (type === 'text') return typeof text === 'string' ? { type, text } : undefined
  const url = typeof mediaType === 'string' && mediaType.startsWith('image/') ? urlOf(part, mediaType) : undefined
  return url === undefined ? undefined : { type: 'image_url', image_url: url }
}

function urlOf({ data }: JsonObject, mediaType: string): string | undefined {
  if (isObject(data) && typeof data.url === 'string') return data.url
  const base64 = isObject(data) ? data.data : data
  return typeof base64 === 'string' ? `data:${mediaType};base64,${base64}` : undefined
}
