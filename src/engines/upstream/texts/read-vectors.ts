import { isObject } from '../../../core/json.ts'
import { malformedAnswer } from '../http/failure.ts'
import { promptTokensOf } from './read-usage.ts'

interface ReadVectors {
  /** One vector per sent text in order, all of the same length, at least 1. */
  readonly vectors: readonly Float32Array[]
  readonly promptTokens: number | undefined
}

/**
 * Reads the vectors of `count` texts from an answer to `/embeddings`. Throws UpstreamFailure if anything is missing or
 * not a number.
 */
export function readVectors(answer: unknown, count: number): ReadVectors {
  const data = isObject(answer) ? answer.data : undefined
  if (!Array.isArray(data) || data.length !== count)
    throw malformedAnswer(`not as many vectors as texts, which are ${count}`)
  const vectors: (Float32Array | undefined)[] = Array.from({ length: count }, () => undefined)
  for (const [position, entry] of data.entries()) {
    const { index = position, embedding } = isObject(entry) ? entry : {}
    if (typeof index !== 'number' || !(index in vectors) || vectors[index] !== undefined) {
      throw malformedAnswer('vectors whose indexes are not those of the texts')
    }
    vectors[index] = toVector(embedding)
  }
  const whole = vectors.flatMap((vector) => vector ?? [])
  const dimensions = whole[0]?.length ?? 0
  if (dimensions === 0 || whole.some(({ length }) => length !== dimensions)) {
    throw malformedAnswer('vectors that are empty or of different lengths')
  }
  return { vectors: whole, promptTokens: promptTokensOf(answer) }
}

/** Reads numbers in JSON, or little-endian float32 in base64. */
function toVector(embedding: unknown): Float32Array {
  const vector = typeof embedding === 'string' ? fromBase64(embedding) : fromArray(embedding)
  if (!vector.every(Number.isFinite)) throw malformedAnswer('a vector with something that is no number')
  return vector
}

function fromArray(embedding: unknown): Float32Array {
  if (!Array.isArray(embedding)) throw malformedAnswer('an embedding that is no list of numbers')
  return Float32Array.from(embedding, (value: unknown) => (typeof value === 'number' ? value : Number.NaN))
}

function fromBase64(text: string): Float32Array {
  const bytes = Buffer.from(text, 'base64')
  if (bytes.length % 4 !== 0) throw malformedAnswer('an embedding whose base64 is cut')
  // Copied, since the bytes may be unaligned.
  return new Float32Array(Uint8Array.from(bytes).buffer)
}
