/** Number types of vectors. Engines compute float32; the others are derived here. */

import { Type } from '@sinclair/typebox'
import { oneOf } from '../../core/schemas.ts'

export const numberTypes = ['float', 'int8', 'uint8', 'binary', 'ubinary'] as const

export type NumberType = (typeof numberTypes)[number]

/** Number types, and float32 in base64, which some services count as a number type */
export const numberForms = [...numberTypes, 'base64'] as const

export type NumberForm = (typeof numberForms)[number]

export const numberFormList = Type.Array(oneOf(numberForms, "'"), { description: 'an array of types of numbers' })

type Numbers = Float32Array | Int8Array | Uint8Array

/**
 * Returns the vector, which has length 1, in another type.
 * - `int8`: `round(127 * sqrt(d) / 8 * x)` of each of its d numbers, clamped to -128..127. One scale for all vectors of
 * a width keeps their products comparable, with room for numbers eight times as large as usual. `uint8` adds 128.
 * - `ubinary`: one bit per number, 1 if it is larger than 0, eight to a byte, the first one most significant; the last
 * byte is padded with zeros. `binary` is that byte minus 128.
 */
export function toNumberType(vector: Float32Array, type: NumberType): Numbers {
  switch (type) {
    case 'float':
      return vector
    case 'int8':
      return Int8Array.from(scaled(vector))
    case 'uint8':
      return Uint8Array.from(scaled(vector), (value) => value + 128)
    case 'binary':
      return Int8Array.from(bitsOf(vector), (byte) => byte - 128)
    case 'ubinary':
      return bitsOf(vector)
  }
}

function scaled(vector: Float32Array): Float32Array {
  const scale = (127 * Math.sqrt(vector.length)) / 8
  return vector.map((value) => Math.max(-128, Math.min(127, Math.round(value * scale))))
}

function bitsOf(vector: Float32Array): Uint8Array {
  const bytes = new Uint8Array(Math.ceil(vector.length / 8))
  for (const [index, value] of vector.entries()) {
    if (value > 0) bytes[index >> 3] = (bytes[index >> 3] ?? 0) | (128 >> (index & 7))
  }
  return bytes
}

/** Returns a JSON array of numbers that parse to the same float32. */
export function toArrayJson(numbers: Numbers): string {
  return `[${numbers.join(',')}]`
}

/** Returns the bytes in base64 as JSON. They are little-endian, as on every supported machine. */
export function toBase64Json(numbers: Numbers): string {
  // Turns -0 into 0, as the JSON array has it.
  const values = numbers.map((value) => value + 0)
  return `"${Buffer.from(values.buffer).toString('base64')}"`
}

/** Returns the vector as JSON in one of the forms. */
export function toFormJson(vector: Float32Array, form: NumberForm): string {
  return form === 'base64' ? toBase64Json(vector) : toArrayJson(toNumberType(vector, form))
}
