/** Pools a graph's token outputs into one vector per text. Pure. */
import type { TextModelSettings } from '../../../core/text-model-settings.ts'
import type { FloatTensor } from '../session/onnx-runtime.ts'

export interface Pooled {
  readonly dimensions: number
  /** Vectors one after the other, in row order. */
  readonly values: Float32Array<ArrayBuffer>
}

export interface PoolSettings extends Pick<TextModelSettings, 'padding'> {
  /** `sums`: the graph has already summed a text's token vectors. */
  readonly pooling: TextModelSettings['pooling'] | 'sums'
}

/**
 * Returns one vector per row of a batch. `lengths` are the rows' own lengths; the rest of each is padding and ignored.
 * Throws if the tensor has another shape than the settings imply.
 */
export function poolRows(
  { shape, data }: FloatTensor,
  lengths: readonly number[],
  { pooling, padding }: PoolSettings,
): Pooled {
  const rows = lengths.length
  const [first, columns, dimensions] = shape.length === 2 ? [shape[0], 1, shape[1]] : shape
  const isPooled = shape.length === 2
  const isMeantPooled = pooling === 'none' || pooling === 'sums'
  if (first !== rows || columns === undefined || dimensions === undefined || isPooled !== isMeantPooled) {
    throw new Error(`an output of shape ${shape.join('x')} does not go with pooling "${pooling}"`)
  }
  const values = new Float32Array(rows * dimensions)
  for (const [row, length] of lengths.entries()) {
    const begin = padding === 'left' && !isPooled ? columns - length : 0
    const from = isPooled ? 0 : begin + tokenOf(pooling, length)
    const target = values.subarray(row * dimensions, (row + 1) * dimensions)
    addUp(target, data, (row * columns + from) * dimensions, pooling === 'mean' ? length : 1)
    if (pooling === 'mean' || pooling === 'sums') {
      for (let index = 0; index < dimensions; index++) target[index] = (target[index] ?? 0) / length
    }
  }
  return { dimensions, values }
}

/** Returns the index of the token that represents a text, or of the first one to pool. */
export function tokenOf(pooling: PoolSettings['pooling'], length: number): number {
  return pooling === 'last' ? length - 1 : 0
}

/** Adds `count` consecutive vectors, from index `offset`, to `target`. */
function addUp(target: Float32Array, data: FloatTensor['data'], offset: number, count: number): void {
  const dimensions = target.length
  for (let position = 0; position < count; position++) {
    const base = offset + position * dimensions
    for (let index = 0; index < dimensions; index++) target[index] = (target[index] ?? 0) + (data[base + index] ?? 0)
  }
}
