import type { SessionInput } from '../session/onnx-runtime.ts'
import type { Run } from '../session/session-thread.ts'
import type { Row } from './waiting-rows.ts'

export interface PaddingSettings {
  readonly padding: 'left' | 'right'
  readonly padTokenId: number
}

/** Rows of one batch as the tensors that a graph asks for. */
export interface Batch extends Pick<Run, 'feeds' | 'shape'> {
  readonly lengths: readonly number[]
}

type Input = Pick<SessionInput, 'name' | 'type'>

type Fill = (data: BigInt64Array | Int32Array, row: Row, offset: number) => void

/** What goes into each known input. Positions count a row's own tokens, on whichever side it is padded. */
const fills: Readonly<Record<string, Fill>> = {
  input_ids: (data, { ids }, offset) => write(data, offset, ids.length, (index) => ids[index] ?? 0),
  attention_mask: (data, { ids }, offset) => write(data, offset, ids.length, () => 1),
  token_type_ids: (data, { ids, typeIds }, offset) => write(data, offset, ids.length, (index) => typeIds?.[index] ?? 0),
  position_ids: (data, { ids }, offset) => write(data, offset, ids.length, (index) => index),
}

/** The inputs of a graph that nothing is known for, or that want other numbers. */
export function unknownInputs(inputs: readonly Input[]): string[] {
  const unknown = inputs.filter(({ name, type }) => fills[name] === undefined || type === 'float32')
  return unknown.map(({ name, type }) => `${name} (${type})`)
}

/** Pads rows to one length and lays them out. The mask is 0 where a row is padded. */
export function toBatch(rows: readonly Row[], inputs: readonly Input[], settings: PaddingSettings): Batch {
  const lengths = rows.map(({ ids }) => ids.length)
  const columns = Math.max(...lengths)
  const feeds = inputs.map(({ name, type }) => {
    const size = rows.length * columns
    const data = type === 'int64' ? new BigInt64Array(size) : new Int32Array(size)
    if (name === 'input_ids' && settings.padTokenId !== 0) write(data, 0, size, () => settings.padTokenId)
    for (const [index, row] of rows.entries()) {
      const skipped = settings.padding === 'left' ? columns - row.ids.length : 0
      fills[name]?.(data, row, index * columns + skipped)
    }
    return { name, type, data }
  })
  return { feeds, shape: [rows.length, columns], lengths }
}

function write(
  data: BigInt64Array | Int32Array,
  offset: number,
  count: number,
  valueAt: (index: number) => number,
): void {
  if (data instanceof BigInt64Array) {
    for (let index = 0; index < count; index++) data[offset + index] = BigInt(valueAt(index))
  } else for (let index = 0; index < count; index++) data[offset + index] = valueAt(index)
}
