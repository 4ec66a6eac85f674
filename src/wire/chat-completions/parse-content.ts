import { Type } from '@sinclair/typebox'
import { type Content, textContent } from '../../core/content.ts'
import { isObject, type JsonObject, jsonIn } from '../../core/json.ts'
import { type ContentPiece, toContent } from '../chat/content-pieces.ts'
import { isDocumentType, readDocument, readToolDocument } from '../chat/read-document.ts'
import { isImageType, readImage, readToolImage } from '../chat/read-image.ts'
import { check, invalidValue, optionalText, presentFields } from '../check.ts'
import { unsupportedContent } from '../unsupported.ts'

const TextPart = Type.Object({ text: optionalText })
const RefusalPart = Type.Object({ refusal: optionalText })
const PartType = Type.Object({ type: Type.String({ description: 'a string such as "text" or "image_url"' }) })

/** Types of parts that no model of this server takes. They are refused, never dropped. */
const unsupportedParts = ['input_audio', 'video_url']

/**
 * Parses message content, a string or an array of parts. Adjacent text parts are joined by a line break; other fields
 * of a part (cache hints) are ignored. Throws ApiError 400, `unsupported_content` for audio.
 */
export function parseContent(given: unknown, path: string, role: string): Content {
  const content = typeof given === 'string' && isOfTool(role) ? (printedParts(given) ?? given) : given
  if (typeof content === 'string') return textContent(content.toWellFormed())
  // Agents do not choose what their tools return.
  if (isObject(content) && isOfTool(role)) return textContent(JSON.stringify(content).toWellFormed())
  if (!Array.isArray(content)) throw invalidValue(path, 'a string or an array of content parts')
  const pieces = content.flatMap((part, index) => (part === null ? [] : parsePart(part, `${path}[${index}]`, role)))
  return toContent(pieces, '\n')
}

function isOfTool(role: string): boolean {
  return role === 'tool' || role === 'function'
}

function parsePart(value: unknown, path: string, role: string): ContentPiece {
  const part = presentFields(value, path)
  const { type } = check(PartType, part, path)
  if (type === 'text') return (check(TextPart, part, path).text ?? '').toWellFormed()
  if (type === 'refusal' && role === 'assistant') return (check(RefusalPart, part, path).refusal ?? '').toWellFormed()
  if (isImageType(type)) return isOfTool(role) ? readToolImage(part, path) : readImage(part, path, 'image_url')
  if (isDocumentType(type) && isOfTool(role)) return readToolDocument(part, path) ?? omittedFile
  if (isDocumentType(type) && role !== 'assistant') return readDocument(part, path, 'file.file_data')
  if (unsupportedParts.includes(type)) throw unsupportedContent(path, `of type '${type}'`)
  throw invalidValue(`${path}.type`, role === 'assistant' ? '"text" or "refusal"' : '"text", "image_url" or "file"')
}

/** Replacement of a tool's file that has no bytes. */
const omittedFile = '[file omitted: this model cannot read it]'

/**
 * Returns the parts of a tool's result that a client printed as JSON, as the Vercel AI SDK does with everything but
 * text, in this dialect's form. Undefined if a part is neither text nor a picture, or the text is anything else: it
 * is then the tool's own text.
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
