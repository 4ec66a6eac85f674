/** Vectors and scores without a model: the same for the same text, and alike for texts that are. */
import type { Scores, Vectors } from '../../core/texts.ts'
import type { Work } from '../../core/work.ts'
import { wordsOf } from './texts-script.ts'

/** `nativeDimensions`: numbers of a vector of which nothing is cut. */
export function textsResult(work: Work<'embed' | 'rerank'>, nativeDimensions: number): Vectors | Scores {
  if (work.kind === 'rerank') {
    const { query, documents } = work.request
    return { type: 'scores', values: Float32Array.from(documents, (document) => shareOfWords(query, document)) }
  }
  const { inputs, dimensions = nativeDimensions } = work.request
  const values = new Float32Array(inputs.length * dimensions)
  for (const [index, input] of inputs.entries()) {
    values.set(unitVector(vectorOf(input, nativeDimensions).subarray(0, dimensions)), index * dimensions)
  }
  return { type: 'vectors', dimensions, values }
}

/** No number is 0, so that none is lost where the vector is cut. */
function vectorOf(input: string | readonly number[], dimensions: number): Float64Array {
  const vector = new Float64Array(dimensions).fill(1)
  const codes = typeof input === 'string' ? Array.from(input, (character) => character.codePointAt(0) ?? 0) : input
  for (const [position, code] of codes.entries()) {
    const at = (code + position) % dimensions
    vector[at] = (vector[at] ?? 0) + (code % 1_000)
  }
  return vector
}

function unitVector(vector: Float64Array): Float64Array {
  const length = Math.hypot(...vector)
  return vector.map((value) => value / length)
}

/** How many of the query's words the document has, 0 to 1. */
function shareOfWords(query: string, document: string): number {
  const wanted = new Set(wordsOf(query.toLowerCase()))
  const found = new Set(wordsOf(document.toLowerCase()))
  return wanted.size === 0 ? 0 : wanted.intersection(found).size / wanted.size
}
