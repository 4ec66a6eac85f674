import { Type } from '@sinclair/typebox'
import { check, invalidValue, presentFields } from '../check.ts'
import { unsupportedContent } from '../unsupported.ts'

const TextPart = Type.Object({ text: Type.String({ description: 'a string' }) })
const RefusalPart = Type.Object({ refusal: Type.String({ description: 'a string' }) })
const PartType = Type.Object({ type: Type.String({ description: 'a string such as "text"' }) })

const imageParts = ['image_url', 'image', 'input_image']
/** Parts that models of this server cannot take: said, never dropped. */
const unsupportedParts = [...imageParts, 'input_audio', 'file', 'video_url']

/** Agents return screenshots to any model: the text beside them still helps, and the model should know of the rest. */
const omittedImage = '[image omitted: this model reads text only]'

/**
 * Message content, a string or an array of parts, as one text. Adjacent text parts are joined by a line break; what
 * else a part carries (cache hints) is ignored. Images in tool results become a remark. Throws ApiError 400,
 * `unsupported_content` for images elsewhere, audio and files.
 */
export function parseContent(content: unknown, path: string, role: string): string {
  if (typeof content === 'string') return content.toWellFormed()
  if (!Array.isArray(content)) throw invalidValue(path, 'a string or an array of content parts')
  return content.map((part, index) => parsePart(part, `${path}[${index}]`, role)).join('\n')
}

function parsePart(value: unknown, path: string, role: string): string {
  const part = presentFields(value, path)
  const { type } = check(PartType, part, path)
  if (type === 'text') return check(TextPart, part, path).text.toWellFormed()
  if (type === 'refusal' && role === 'assistant') return check(RefusalPart, part, path).refusal.toWellFormed()
  if (imageParts.includes(type) && (role === 'tool' || role === 'function')) return omittedImage
  if (unsupportedParts.includes(type)) throw unsupportedContent(path, `of type '${type}'`)
  throw invalidValue(`${path}.type`, role === 'assistant' ? '"text" or "refusal"' : '"text"')
}
