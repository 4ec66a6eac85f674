/**
 * Scripts of text work: the first input or the query. Without a script, equal texts give equal results, and similar
 * texts similar ones.
 */
import type { Scores, Vectors } from '../../core/texts.ts'
import { nothingConsumed } from '../../core/usage.ts'
import type { Work } from '../../core/work.ts'
import type { AheadAction, AheadPlan } from './ahead-work.ts'

type TextsWork = Work<'embed' | 'rerank'>

interface FakeTextsScript {
  readonly script: readonly AheadAction[]
  readonly promptTokens: number
  /** Tokens processed when a cancel comes during the script. Absent means all. */
  readonly prefillTokens?: number
}

/** Returns the plan. `nativeDimensions` is the length of an uncut vector. */
export function planTexts(work: TextsWork, nativeDimensions: number): AheadPlan {
  const { script, promptTokens, prefillTokens = promptTokens } = readTextsScript(work)
  return {
    script: [...script, { output: textsResult(work, nativeDimensions) }],
    consumed: { ...nothingConsumed, promptTokens },
    consumedAfter: (outputs) => ({ ...nothingConsumed, promptTokens: outputs === 0 ? prefillTokens : promptTokens }),
  }
}

/** Reads the script. Each word is a token; a document is read together with the query. */
function readTextsScript(work: TextsWork): FakeTextsScript {
  const defaults = { script: [], promptTokens: countTokens(work) }
  const first = work.kind === 'embed' ? work.request.inputs[0] : work.request.query
  if (typeof first !== 'string' || !first.startsWith('{"script":')) return defaults
  return { ...defaults, ...JSON.parse(first) }
}

function countTokens({ kind, request }: TextsWork): number {
  const counts =
    kind === 'embed'
      ? request.inputs.map((input) => (typeof input === 'string' ? wordsOf(input).length : input.length))
      : request.documents.map((document) => wordsOf(request.query).length + wordsOf(document).length)
  return counts.reduce((sum, count) => sum + count, 0)
}

function wordsOf(text: string): string[] {
  return text.match(/\S+/g) ?? []
}

function textsResult(work: TextsWork, nativeDimensions: number): Vectors | Scores {
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

/** Returns a vector without zeros, so that cutting it never loses all numbers. */
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

/** Returns the share of the query's words that the document contains, 0 to 1. */
function shareOfWords(query: string, document: string): number {
  const wanted = new Set(wordsOf(query.toLowerCase()))
  const found = new Set(wordsOf(document.toLowerCase()))
  return wanted.size === 0 ? 0 : wanted.intersection(found).size / wanted.size
}
