import type { TextModelSettings } from '../../../core/text-model-settings.ts'
import type { Feed, SessionInput } from '../session/onnx-runtime.ts'
import { added } from './added-names.ts'
import type { Row } from './batch-rows.ts'
import { tokenOf } from './pooling.ts'

type BatchSettings = Pick<TextModelSettings, 'padding' | 'padTokenId' | 'pooling'>

/** Rows of one batch as the tensors that the graph needs. */
interface Batch {
  readonly feeds: readonly Feed[]
  readonly lengths: readonly number[]
}

type Input = Pick<SessionInput, 'name' | 'type'>

/** Returns the value of an input for one of a row's own tokens, by its position in the row. */
type Fill = (row: Row, index: number) => number

/** Known inputs with one number per token. Positions count a row's own tokens, on whichever side it is padded. */
const fills: Readonly<Record<string, Fill>> = {
  input_ids: ({ ids }, index) => ids[index] ?? 0,
  attention_mask: () => 1,
  token_type_ids: ({ typeIds }, index) => typeIds?.[index] ?? 0,
  position_ids: (_, index) => index,
}

/** Returns the inputs of a graph that are unknown or have an unsupported number type. */
export function unknownInputs(inputs: readonly Input[]): string[] {
  const own: readonly string[] = Object.values(added)
  const unknown = inputs.filter(
    ({ name, type }) => !own.includes(name) && (fills[name] === undefined || type === 'float32'),
  )
  return unknown.map(({ name, type }) => `${name} (${type})`)
}

/** Pads rows to the same length and arranges them as tensors. The mask is 0 for padding. */
export function toBatch(rows: readonly Row[], inputs: readonly Input[], settings: BatchSettings): Batch {
  const lengths = rows.map(({ ids }) => ids.length)
  const columns = Math.max(...lengths)
  const begins = lengths.map((length, row) => row * columns + (settings.padding === 'left' ? columns - length : 0))
  const feeds = inputs.map(({ name, type }): Feed => {
    if (name === added.ownTokens) {
      const data = new Float32Array(rows.length * columns)
      for (const [row, begin] of begins.entries()) data.fill(1, begin, begin + (lengths[row] ?? 0))
      return { name, type, shape: [rows.length, 1, columns], data }
    }
    if (name === added.tokenIndex) {
      const tokens = begins.map((begin, row) => begin + tokenOf(settings.pooling, lengths[row] ?? 0))
      return { name, type, shape: [rows.length], data: BigInt64Array.from(tokens, BigInt) }
    }
    if (name === added.spans) {
      const starts = Array.from({ length: rows.length + 1 }, (_, row) => row * columns)
      const data = Int32Array.of(...lengths, ...starts, ...starts)
      return { name, type, shape: [data.length], data }
    }
    const numbers = new TokenNumbers(type, rows.length * columns)
    if (name === 'input_ids' && settings.padTokenId !== 0) numbers.fill(settings.padTokenId)
    const fill = fills[name]
    if (fill !== undefined) for (const [row, begin] of begins.entries()) numbers.write(begin, rows[row], fill)
    return { name, type, shape: [rows.length, columns], data: numbers.data }
  })
  return { feeds, lengths }
}

/** Integers from 0 to 2^31 - 1. For 64-bit inputs only the lower halves are written: BigInts take ten times as long. */
class TokenNumbers {
  readonly data: BigInt64Array | Int32Array
  readonly #halves: Int32Array
  readonly #stride: number

  constructor(type: Input['type'], count: number) {
    this.#stride = type === 'int64' ? 2 : 1
    this.#halves = new Int32Array(count * this.#stride)
    this.data = type === 'int64' ? new BigInt64Array(this.#halves.buffer) : this.#halves
  }

  fill(value: number): void {
    for (let at = 0; at < this.#halves.length; at += this.#stride) this.#halves[at] = value
  }

  write(begin: number, row: Row | undefined, fill: Fill): void {
    if (row === undefined) return
    const count = row.ids.length
    for (let index = 0; index < count; index++) this.#halves[(begin + index) * this.#stride] = fill(row, index)
  }
}
