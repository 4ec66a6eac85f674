import { unreachable } from '../../core/unreachable.ts'
import type { RandomWords } from './random-words.ts'
import type { TensorType } from './value.ts'

/** Content of a tensor. Random weights have mean 0 and the given standard deviation. */
export type TensorFill =
  | { readonly kind: 'random'; readonly deviation: number }
  | { readonly kind: 'constant'; readonly value: number }
  | { readonly kind: 'values'; readonly values: Float32Array<ArrayBuffer> }

/** One tensor to be written. `dimensions` are in ggml's order: the first one is contiguous in memory. */
export interface TensorPlan {
  readonly name: string
  readonly dimensions: readonly number[]
  readonly type: TensorType
  readonly fill: TensorFill
}

/** Quantised weights: blocks of 32 numbers behind one half-precision scale. */
const blockElements = 32
/** A multiple of a 32 bit word's size. */
const chunkBlocks = 16_384

interface BlockFormat {
  readonly blockBytes: number
  /** Bits that are set in each random word. */
  readonly mask: number
  /** Standard deviation of the numbers, all equally likely. */
  readonly deviation: number
}

const blockFormats = {
  /** Odd signed bytes only: -128 has no positive counterpart, and some kernels take absolute values. */
  q8_0: { blockBytes: 34, mask: 0x01010101, deviation: 73.9 },
  /** Half bytes from -8 to 7. The CPU keeps its own copy of such weights, in another order. */
  q4_0: { blockBytes: 18, mask: 0, deviation: 4.61 },
} as const satisfies Partial<Record<TensorType, BlockFormat>>

export function tensorElements(tensor: TensorPlan): number {
  return tensor.dimensions.reduce((product, dimension) => product * dimension, 1)
}

/** Returns the size of the tensor's data without padding. Throws if its rows are not whole blocks. */
export function tensorSizeBytes(tensor: TensorPlan): number {
  const elements = tensorElements(tensor)
  if (tensor.type === 'f32') return 4 * elements
  if ((tensor.dimensions[0] ?? 0) % blockElements !== 0) {
    throw new Error(`${tensor.name}: rows of ${tensor.dimensions[0]} values do not divide into blocks of 32`)
  }
  return (elements / blockElements) * blockFormats[tensor.type].blockBytes
}

/** Yields the tensor's data in pieces of bounded size. Random data continue the sequence of `random`. */
export function* tensorChunks(tensor: TensorPlan, random: RandomWords): Generator<Uint8Array<ArrayBuffer>> {
  const { fill } = tensor
  switch (fill.kind) {
    case 'random':
      if (tensor.type === 'f32') yield randomNumbers(tensorElements(tensor), fill.deviation, random)
      else yield* randomBlocks(tensorSizeBytes(tensor), blockFormats[tensor.type], fill.deviation, random)
      return
    case 'constant':
      if (tensor.type !== 'f32') throw new Error(`${tensor.name}: constants are only written as f32`)
      yield new Uint8Array(new Float32Array(tensorElements(tensor)).fill(fill.value).buffer)
      return
    case 'values':
      if (tensor.type !== 'f32') throw new Error(`${tensor.name}: given values are only written as f32`)
      yield new Uint8Array(fill.values.buffer, fill.values.byteOffset, fill.values.byteLength)
      return
    default:
      unreachable(fill)
  }
}

/** Returns all numbers at once: such tensors are small. */
function randomNumbers(count: number, deviation: number, random: RandomWords): Uint8Array<ArrayBuffer> {
  const words = new Uint32Array(count)
  random.fill(words, 0)
  // Numbers uniform between -a and a have the deviation a / sqrt(3).
  const numbers = Float32Array.from(words, (word) => (word / 2 ** 31 - 1) * deviation * Math.sqrt(3))
  return new Uint8Array(numbers.buffer)
}

function* randomBlocks(
  sizeBytes: number,
  format: BlockFormat,
  deviation: number,
  random: RandomWords,
): Generator<Uint8Array<ArrayBuffer>> {
  const { blockBytes, mask } = format
  const chunkBytes = blockBytes * chunkBlocks
  const scale = new Uint8Array(new Float16Array([deviation / format.deviation]).buffer)
  const [low = 0, high = 0] = scale
  for (let written = 0; written < sizeBytes; written += chunkBytes) {
    const words = new Uint32Array(chunkBytes / 4)
    random.fill(words, mask)
    const chunk = new Uint8Array(words.buffer, 0, Math.min(chunkBytes, sizeBytes - written))
    for (let block = 0; block < chunk.length; block += blockBytes) {
      chunk[block] = low
      chunk[block + 1] = high
    }
    yield chunk
  }
}
