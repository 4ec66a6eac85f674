import { Type } from '@sinclair/typebox'
import type { ChatMessage } from '../../core/chat.ts'
import { type Content, contentText } from '../../core/content.ts'
import { isObject } from '../../core/json.ts'
import type { ModerateRequest } from '../../core/moderation.ts'
import { toContent } from '../chat/content-pieces.ts'
import { isImageType, readImage } from '../chat/read-image.ts'
import { check, invalidValue, optionalModelField, presentFields } from '../check.ts'
import type { WorkCall } from '../dialect.ts'
import { limits } from '../limits.ts'

const maxCharacters = limits.moderationCharacters.most
const maxInputs = limits.moderationInputs.most
const expected = `a text, an array of 1 to ${maxInputs} texts, or an array of parts`

export const ModerationsBody = Type.Object({
  ...optionalModelField,
  input: Type.Unknown({ description: expected, examples: ['I will find you.'] }),
})

const PartType = Type.Object({ type: Type.String({ description: '"text" or "image_url"' }) })
const TextPart = Type.Object({ text: Type.String({ description: 'a text' }) })

/** Types of parts that a content has. */
export interface InputTypes {
  readonly hasText: boolean
  readonly hasPictures: boolean
}

export interface ModerationsCall extends WorkCall {
  readonly request: ModerateRequest
  /** Types of each content, in order. */
  readonly inputs: readonly InputTypes[]
}

/** Translates a whole body. Throws ApiError 400 that names the wrong field. */
export function parseModerations(body: unknown): ModerationsCall {
  const { input } = check(ModerationsBody, presentFields(body))
  const contents = readInput(input)
  requireFewCharacters(contents)
  return {
    request: { messages: contents.map((content): ChatMessage => ({ role: 'user', content })) },
    inputs: contents.map((content) => ({
      hasText: content.some(({ type }) => type === 'text'),
      hasPictures: content.some(({ type }) => type === 'sent-image'),
    })),
  }
}

/** Throws ApiError 400 for more text than any model could judge, which would cost time before one refuses it. */
function requireFewCharacters(contents: readonly Content[]): void {
  const characters = contents.reduce((sum, content) => sum + contentText(content).length, 0)
  if (characters > maxCharacters) throw invalidValue('input', `texts of at most ${maxCharacters} characters in all`)
}

/** Returns the contents: one of a text or of parts, or one of each text. */
function readInput(input: unknown): readonly Content[] {
  if (typeof input === 'string') return [textOf(input, 'input')]
  if (!Array.isArray(input) || input.length === 0) throw invalidValue('input', expected)
  const entries: readonly unknown[] = input
  if (isObject(entries[0])) return [contentOf(entries)]
  if (entries.length > maxInputs) throw invalidValue('input', expected)
  return entries.map((entry, index) => textOf(entry, `input[${index}]`))
}

function textOf(value: unknown, path: string): Content {
  if (typeof value !== 'string' || value.trim() === '') throw invalidValue(path, 'a text that is not empty')
  return toContent([value.toWellFormed()], '')
}

function contentOf(parts: readonly unknown[]): Content {
  const pieces = parts.map((value, index) => {
    const path = `input[${index}]`
    const part = presentFields(value, path)
    const { type } = check(PartType, part, path)
    if (isImageType(type)) return readImage(part, path, 'image_url')
    if (type !== 'text') throw invalidValue(`${path}.type`, '"text" or "image_url"')
    return check(TextPart, part, path).text.toWellFormed()
  })
  const content = toContent(pieces, '\n')
  if (content.length === 0) throw invalidValue('input', 'parts of which one is not empty')
  return content
}
