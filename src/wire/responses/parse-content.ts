import { Type } from '@sinclair/typebox'
import { isObject, type JsonObject } from '../../core/json.ts'
import { type ContentPiece, joinTexts } from '../chat/content-pieces.ts'
import { isDocumentType, readDocument, readToolDocument } from '../chat/read-document.ts'
import { isImageType, readImage, readToolImage } from '../chat/read-image.ts'
import { isSoundType, readSound } from '../chat/read-sound.ts'
import { check, invalidValue, optionalText, presentFields } from '../check.ts'
import { unsupportedContent } from '../unsupported.ts'

const TextPart = Type.Object({ text: optionalText })
const RefusalPart = Type.Object({ refusal: optionalText })
const PartType = Type.Object({ type: Type.String({ description: 'a string such as "input_text"' }) })

const textParts = ['input_text', 'output_text', 'text']
const mediaParts = ['input_audio', 'audio_url', 'input_video']

/** Returns whether the type belongs to a part within an item. */
export function isPartType(type: string): boolean {
  return textParts.includes(type) || mediaParts.includes(type) || isImageType(type) || isDocumentType(type)
}

/** Separators between adjacent text parts of a message. Instructions come as whole sections. */
const separators = { system: '\n\n', user: '\n', assistant: '\n' } as const

export type MessageRole = keyof typeof separators

/**
 * Parses the content of a message item. Throws ApiError 400: `unsupported_content` for video, which no model here
 * takes, `invalid_value` for unknown parts, except in messages of the assistant, where they are left out.
 */
export function parseContent(content: unknown, path: string, role: MessageRole): ContentPiece[] {
  if (typeof content === 'string') return [content.toWellFormed()]
  if (!Array.isArray(content)) throw invalidValue(path, 'a string or an array of content parts')
  const pieces = content.flatMap((part, index) => (part === null ? [] : parsePart(part, `${path}[${index}]`, role)))
  return joinTexts(pieces, separators[role])
}

function parsePart(value: unknown, path: string, role: MessageRole): ContentPiece | [] {
  const part = presentFields(value, path)
  const { type } = check(PartType, part, path)
  if (textParts.includes(type)) return (check(TextPart, part, path).text ?? '').toWellFormed()
  if (type === 'refusal' && role === 'assistant') return (check(RefusalPart, part, path).refusal ?? '').toWellFormed()
  if (isImageType(type)) return readImage(part, path, 'image_url')
  if (isDocumentType(type) && role !== 'assistant') return readDocument(part, path, 'file_data')
  if (isSoundType(type) && role !== 'assistant') return readSound(part, path)
  if (mediaParts.includes(type)) throw unsupportedContent(path, `of type '${type}'`)
  if (role === 'assistant') return []
  throw invalidValue(`${path}.type`, '"input_text", "input_image", "input_audio" or "input_file"')
}

/**
 * Returns a tool's output: a string, an array of parts, or a picture alone. Agents cannot choose what tools return:
 * other parts are replaced by a note, never refused.
 */
export function toolOutput(output: unknown, path: string): ContentPiece[] {
  if (Array.isArray(output)) {
    const pieces = output.map((part, index) => toolPart(part, `${path}[${index}]`))
    return joinTexts(pieces, '\n')
  }
  return [isObject(output) && isImageType(output.type) ? readToolImage(output, path) : looseText(output)]
}

/** Returns a value of any type as text. */
export function looseText(value: unknown): string {
  if (value === undefined) return ''
  return typeof value === 'string' ? value.toWellFormed() : JSON.stringify(value)
}

function toolPart(part: unknown, path: string): ContentPiece {
  if (!isObject(part)) return looseText(part)
  if (isImageType(part.type)) return readToolImage(part, path)
  const document = readToolDocument(part, path)
  if (document !== undefined) return document
  const text = readableText(part)
  if (text !== undefined) return text
  const type = typeof part.type === 'string' ? part.type : ''
  const omitted = omittedKinds.find((kind) => type.includes(kind))
  // Other parts are records of some kind, such as a shell's output and exit code.
  return omitted === undefined ? JSON.stringify(part) : `[${omitted} omitted: this model cannot read it]`
}

const omittedKinds = ['image', 'file', 'audio', 'video']

const foreignToken = /^gAAAA[A-Za-z0-9_-]*={0,2}$/
const minForeignTokenLength = 100

/**
 * Returns the text of a part that another agent or a tool wrote; undefined for a part without text. Clients pass on
 * our own arguments as `encrypted_content` in clear, without which an agent would begin with an empty task. Content
 * that another server encrypted cannot be read, and the model is told so.
 */
export function readableText({ text, encrypted_content: content }: JsonObject): string | undefined {
  if (typeof text === 'string') return text.toWellFormed()
  if (typeof content !== 'string') return undefined
  const isForeign = content.length >= minForeignTokenLength && foreignToken.test(content)
  return isForeign ? '[encrypted message not readable by this server]' : content.toWellFormed()
}
