/** Converts a graph's output for a pair into one score. Pure. */
import type { TextModelSettings } from '../../../core/text-model-settings.ts'
import type { FloatTensor } from '../session/onnx-runtime.ts'

/** Answer tokens of a reranker that is asked in words. */
export interface AnswerIds {
  readonly yes: number
  readonly no: number
}

export interface ScoreSettings extends Pick<TextModelSettings, 'activation' | 'padding'> {
  readonly answerIds: AnswerIds | undefined
}

/**
 * Returns one score per row of a batch: the graph's own number, or how much likelier "yes" is than "no" as the next
 * token. Throws if the tensor has another shape.
 */
export function scoreRows(
  { shape, data }: FloatTensor,
  lengths: readonly number[],
  { activation, padding, answerIds }: ScoreSettings,
): Float32Array<ArrayBuffer> {
  const rows = lengths.length
  const perRow = data.length / rows
  const isFitting = shape[0] === rows && (answerIds === undefined ? perRow === 1 : shape.length >= 2)
  if (!isFitting) throw new Error(`an output of shape ${shape.join('x')} holds no score for each of ${rows} pairs`)
  return Float32Array.from(lengths, (length, row) => {
    if (answerIds === undefined) return activate(data[row] ?? Number.NaN, activation)
    const vocabulary = shape.at(-1) ?? 0
    const columns = perRow / vocabulary
    const last = columns === 1 || padding === 'left' ? columns - 1 : length - 1
    const base = row * perRow + last * vocabulary
    // The softmax over two numbers is the sigmoid of their difference.
    return sigmoid((data[base + answerIds.yes] ?? Number.NaN) - (data[base + answerIds.no] ?? Number.NaN))
  })
}

function activate(raw: number, activation: TextModelSettings['activation']): number {
  return activation === 'sigmoid' ? sigmoid(raw) : raw
}

function sigmoid(value: number): number {
  return 1 / (1 + Math.exp(-value))
}
