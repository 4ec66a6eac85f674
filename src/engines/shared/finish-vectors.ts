/** Vectors in the requested form, from a model's vectors. Pure. */
import { ApiError } from '../../core/errors.ts'
import type { EmbedRequest, Vectors } from '../../core/texts.ts'

/**
 * Returns the requested leading dimensions of each vector, scaled to length 1 if `normalize` is set. All vectors have
 * the same dimensions. Throws ApiError 400 if these are fewer.
 */
export function toVectors(
  { dimensions }: Pick<EmbedRequest, 'dimensions'>,
  computed: readonly Float32Array[],
  normalize: boolean,
): Vectors {
  const native = computed[0]?.length ?? 0
  const kept = dimensions ?? native
  if (kept > native) throw wrongDimensions(kept, native)
  const values = new Float32Array(computed.length * kept)
  for (const [index, vector] of computed.entries()) values.set(finishVector(vector, kept, normalize), index * kept)
  return { type: 'vectors', dimensions: kept, values }
}

/** Rounding error of a vector's length. Lengths nearer to 1 are not scaled, so a second pass changes nothing. */
const tolerance = 1e-5

/** Returns the leading `kept` numbers of a vector, scaled to length 1 if `normalize` is set and they are not all 0. */
export function finishVector(vector: Float32Array, kept: number, normalize: boolean): Float32Array {
  const leading = vector.slice(0, kept)
  if (!normalize) return leading
  let squares = 0
  for (const value of leading) squares += value * value
  const length = Math.sqrt(squares)
  if (length > 0 && Math.abs(length - 1) > tolerance)
    for (let index = 0; index < kept; index++) leading[index] = (leading[index] ?? 0) / length
  return leading
}

function wrongDimensions(dimensions: number, native: number): ApiError {
  const message = `'dimensions' is ${dimensions}; this model's vectors have ${native}.`
  return new ApiError('invalid_request', message, { code: 'invalid_value', param: 'dimensions' })
}
