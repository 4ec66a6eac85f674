/**
 * Checks a loaded model against its manifest's golden results: files, tokenizer, pooling and prompts must fit
 * together.
 */
import type { TextModelSettings } from '../../../core/text-model-settings.ts'
import type { Scores, Vectors } from '../../../core/texts.ts'
import type { TextWork } from './encode-texts.ts'

type Compute = (work: TextWork) => Promise<Vectors | Scores>

/** Lowest accepted cosine. Quantised files and other processors stay above it; wrong settings fall far below. */
const minimumCosine = 0.99
const maximumScoreDifference = 0.03

/** Throws for the first golden text of the manifest whose vector or score differs. */
export async function checkGolden({ goldenVectors, goldenScores }: TextModelSettings, compute: Compute): Promise<void> {
  for (const { text, inputType, values } of goldenVectors) {
    const { values: vector } = await compute({ kind: 'embed', request: { inputs: [text], inputType } })
    const found = cosine(values, vector.subarray(0, values.length))
    if (!(found >= minimumCosine))
      throw mismatch(`vector of "${text}" has cosine ${found.toFixed(3)} to the golden one`)
  }
  for (const { query, document, score } of goldenScores) {
    const work = { kind: 'rerank', request: { query, documents: [document] } } as const
    const [found = Number.NaN] = (await compute(work)).values
    const isSame = Math.abs(found - score) <= maximumScoreDifference
    if (!isSame) throw mismatch(`score of "${document}" for "${query}" is ${found.toFixed(3)} instead of ${score}`)
  }
}

function mismatch(what: string): Error {
  return new Error(
    `its files do not fit its manifest: the ${what}; the model, the tokenizer, the pooling or a prefix is wrong`,
  )
}

export function cosine(first: ArrayLike<number>, second: ArrayLike<number>): number {
  const sum = (term: (index: number) => number) =>
    Array.from(first, (_, index) => term(index)).reduce((total, value) => total + value, 0)
  const product = sum((index) => (first[index] ?? 0) * (second[index] ?? Number.NaN))
  return (
    product / Math.sqrt(sum((index) => (first[index] ?? 0) ** 2) * sum((index) => (second[index] ?? Number.NaN) ** 2))
  )
}
