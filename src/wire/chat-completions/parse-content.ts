import { Type } from '@sinclair/typebox'
import { type Content, textContent } from '../../core/content.ts'
import { isObject } from '../../core/json.ts'
import { type ContentPiece, toContent } from '../chat/content-pieces.ts'
import { isDocumentType, readDocument, readToolDocument } from '../chat/read-document.ts'
import { isImageType, readImage, readToolImage } from '../chat/read-image.ts'
import { isSoundType, readSound } from '../chat/read-sound.ts'
import { check, invalidValue, optionalText, presentFields } from '../check.ts'
import { unsupportedContent } from '../unsupported.ts'
import { printedParts } from './printed-parts.ts'

const TextPart = Type.Object({ text: optionalText })
const RefusalPart = Type.Object({ refusal: optionalText })
const PartType = Type.Object({ type: Type.String({ description: 'a string such as "text" or "image_url"' }) })

/** Types of parts that no model of this server takes from anyone, or from a tool. They are refused, never dropped. */
const unsupportedParts = ['input_audio', 'audio_url', 'video_url']

/**
 * Parses message content, a string or an array of parts. Adjacent text parts are joined by a line break; other fields
 * of a part (cache hints) are ignored. Throws ApiError 400, `unsupported_content` for video.
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
  if (isSoundType(type) && !isOfTool(role) && role !== 'assistant') return readSound(part, path)
  if (unsupportedParts.includes(type)) throw unsupportedContent(path, `of type '${type}'`)
  throw invalidValue(
    `${path}.type`,
    role === 'assistant' ? '"text" or "refusal"' : '"text", "image_url", "input_audio" or "file"',
  )
}

/** Replacement of a tool's file that has no bytes. */
const omittedFile = '[file omitted: this model cannot read it]'
