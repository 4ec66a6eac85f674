import { Type } from '@sinclair/typebox'
import { isObject, type JsonObject } from '../../core/json.ts'
import { check, invalidValue, presentFields } from '../check.ts'
import { unsupportedContent } from '../unsupported.ts'

const TextPart = Type.Object({ text: Type.String({ description: 'a string' }) })
const RefusalPart = Type.Object({ refusal: Type.String({ description: 'a string' }) })
const PartType = Type.Object({ type: Type.String({ description: 'a string such as "input_text"' }) })

const textParts = ['input_text', 'output_text', 'text']
const mediaParts = [
  ...['input_image', 'image_url', 'computer_screenshot', 'input_file', 'file', 'input_audio', 'input_video'],
]

/** How the text parts of one message become one text: instructions come as whole sections. */
const separators = { system: '\n\n', user: '\n', assistant: '\n' } as const

export type MessageRole = keyof typeof separators

/**
 * The content of a message item as one text. Throws ApiError 400: `unsupported_content` for images, audio and files,
 * which no model here takes, `invalid_value` for unknown parts, except in messages of the assistant, where they are left out.
 */
export function parseContent(content: unknown, path: string, role: MessageRole): string {
  if (typeof content === 'string') return content.toWellFormed()
  if (!Array.isArray(content)) throw invalidValue(path, 'a string or an array of content parts')
  return content.flatMap((part, index) => parsePart(part, `${path}[${index}]`, role)).join(separators[role])
}

function parsePart(value: unknown, path: string, role: MessageRole): string | [] {
  const part = presentFields(value, path)
  const { type } = check(PartType, part, path)
  if (textParts.includes(type)) return check(TextPart, part, path).text.toWellFormed()
  if (type === 'refusal' && role === 'assistant') return check(RefusalPart, part, path).refusal.toWellFormed()
  if (mediaParts.includes(type)) throw unsupportedContent(path, `of type '${type}'`)
  if (role === 'assistant') return []
  throw invalidValue(`${path}.type`, '"input_text"')
}

/**
 * What a tool gave back, a string or an array of parts, as one text. Agents cannot choose what tools return: parts that
 * are no text are named and left out, never refused.
 */
export function toolOutputText(output: unknown): string {
  if (output === undefined) return ''
  if (typeof output === 'string') return output.toWellFormed()
  if (!Array.isArray(output)) return JSON.stringify(output)
  return output.map(toolPartText).join('\n')
}

function toolPartText(part: unknown): string {
  if (typeof part === 'string') return part.toWellFormed()
  if (!isObject(part)) return JSON.stringify(part)
  const text = readableText(part)
  if (text !== undefined) return text
  const type = typeof part.type === 'string' ? part.type : ''
  const omitted = omittedKinds.find((kind) => type.includes(kind))
  // What is neither text nor media is a record of some kind: a shell's output and exit code, say.
  return omitted === undefined ? JSON.stringify(part) : `[${omitted} omitted: this model reads text only]`
}

const omittedKinds = ['image', 'file', 'audio', 'video']

const foreignToken = /^gAAAA[A-Za-z0-9_-]*={0,2}$/
const minForeignTokenLength = 100

/**
 * The text of a part that another agent or a tool wrote; undefined for a part without text. Clients hand over our own
 * arguments as `encrypted_content` in clear: dropped, an agent would begin with an empty task. What another server
 * really encrypted cannot be read, and the model is told so.
 */
export function readableText({ text, encrypted_content: content }: JsonObject): string | undefined {
  if (typeof text === 'string') return text.toWellFormed()
  if (typeof content !== 'string') return undefined
  const isForeign = content.length >= minForeignTokenLength && foreignToken.test(content)
  return isForeign ? '[encrypted message not readable by this server]' : content.toWellFormed()
}
