import { Type } from '@sinclair/typebox'
import type { DrawRequest } from '../../core/draw.ts'
import { oneOf } from '../../core/schemas.ts'
import { check, invalidValue, optionalAny, optionalInteger, optionalModelField, presentFields } from '../check.ts'
import type { WorkCall } from '../dialect.ts'
import { limits } from '../limits.ts'
import { refuseUnsupported, type UnsupportedFields } from '../unsupported.ts'

const maxCharacters = limits.imagePromptCharacters.most

const word = Type.Optional(Type.String({ description: 'a word, such as "auto"', pattern: '^[\\w.:-]{1,40}$' }))

/** Wishes that are passed to the model's server unchanged. */
const wishes = {
  size: Type.Optional(
    Type.String({ description: 'a size such as "1024x1024", or "auto"', pattern: '^(\\d{1,5}x\\d{1,5}|auto)$' }),
  ),
  quality: word,
  complexity: word,
  style: word,
  background: word,
  moderation: word,
  output_format: Type.Optional(oneOf(['png', 'jpeg', 'webp'], "'")),
  output_compression: optionalInteger(0, 100),
}

export const ImagesBody = Type.Object({
  ...optionalModelField,
  prompt: Type.String({
    description: `a text of 1 to ${maxCharacters} characters`,
    minLength: 1,
    maxLength: maxCharacters,
    examples: ['A red apple on a table.'],
  }),
  n: optionalInteger(1, limits.images.most),
  ...wishes,
  response_format: optionalAny,
  stream: optionalAny,
  partial_images: optionalAny,
  frame_count: optionalAny,
  frame_duration_ms: optionalAny,
  svg: optionalAny,
})

const still = ': pictures here do not move, and are no drawings. Leave it out.'

const unsupported: UnsupportedFields = {
  response_format: {
    words: ': pictures are not kept here, so they have no address. Leave it out, or send "b64_json".',
    isHarmless: (value) => value === 'b64_json',
  },
  stream: { words: ' for pictures. Leave it out.', isHarmless: (value) => value === false },
  partial_images: { words: ' for pictures. Leave it out.', isHarmless: (value) => value === 0 },
  frame_count: { words: still },
  frame_duration_ms: { words: still },
  svg: { words: still },
}

export interface ImagesCall extends WorkCall {
  readonly request: DrawRequest
}

/** Translates a whole body. Throws ApiError 400 that names the wrong field. */
export function parseImages(body: unknown): ImagesCall {
  const fields = presentFields(body)
  refuseUnsupported(fields, unsupported)
  const { prompt, n, ...rest } = check(ImagesBody, fields)
  if (prompt.trim() === '') throw invalidValue('prompt', 'a text that is not empty')
  const options = Object.fromEntries(
    Object.keys(wishes).flatMap((name) => {
      const value = rest[name as keyof typeof wishes]
      return value === undefined ? [] : [[name, value] as const]
    }),
  )
  return { request: { prompt: prompt.toWellFormed(), count: n ?? 1, options } }
}
