import type { TextPart } from '../core/content.ts'
import { ApiError } from '../core/errors.ts'
import type { ModelManifest } from '../core/model.ts'

interface PlacedImage {
  readonly param: string
  readonly isToolResult: boolean
}

/**
 * Replacement of a tool's picture. Agents return screenshots to any model: the text beside them still helps, and the
 * model should know of the rest.
 */
const remark: TextPart = { type: 'text', text: '[image omitted: this model reads text only]' }

/**
 * Returns the replacements of the pictures for a model without vision. Throws ApiError 400 `unsupported_content` for
 * the first one that no tool returned.
 */
export function omittedImages(images: readonly PlacedImage[], { id }: Pick<ModelManifest, 'id'>): TextPart[] {
  const refused = images.find(({ isToolResult }) => !isToolResult)
  if (refused === undefined) return images.map(() => remark)
  const { param } = refused
  const message = `'${param}' is a picture, and model '${id}' reads text only. Leave it out, or choose a model of type vision: GET /models lists them.`
  throw new ApiError('invalid_request', message, { code: 'unsupported_content', param })
}
