import { unreachable } from '../../core/unreachable.ts'
import type { RandomWords } from './random-words.ts'
import type { TensorType } from './value.ts'

/** What a tensor holds. Random weights have mean 0 and the given standard deviation. */
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

/** Q8_0: blocks of 32 signed bytes behind one half-precision scale. */
const blockElements = 32
const blockBytes = 34
/** A multiple of the block's and of a 32 bit word's size. */
const chunkBytes = blockBytes * 16_384
/** Standard deviation of the odd numbers -127..127, all equally likely. */
const byteDeviation = 73.9

export function tensorElements(tensor: TensorPlan): number {
  return tensor.dimensions.reduce((product, dimension) => product * dimension, 1)
}

/** Size of the tensor's data without padding. Throws when Q8_0 blocks do not fit its rows. */
export function tensorSizeBytes(tensor: TensorPlan): number {
  const elements = tensorElements(tensor)
  if (tensor.type === 'f32') return 4 * elements
  if ((tensor.dimensions[0] ?? 0) % blockElements !== 0) {
    throw new Error(`${tensor.name}: rows of ${tensor.dimensions[0]} values do not divide into blocks of 32`)
  }
  return (elements / blockElements) * blockBytes
}

/** The tensor's data in pieces of bounded size. Random data continue the sequence of `random`. */
export function* tensorChunks(tensor: TensorPlan, random: RandomWords): Generator<Uint8Array<ArrayBuffer>> {
  const { fill } = tensor
  switch (fill.kind) {
    case 'random':
      if (tensor.type !== 'q8_0') throw new Error(`${tensor.name}: random data are only written as q8_0`)
      yield* randomBlocks(tensorSizeBytes(tensor), fill.deviation, random)
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

function* randomBlocks(sizeBytes: number, deviation: number, random: RandomWords): Generator<Uint8Array<ArrayBuffer>> {
  const scale = new Uint8Array(new Float16Array([deviation / byteDeviation]).buffer)
  const [low = 0, high = 0] = scale
  for (let written = 0; written < sizeBytes; written += chunkBytes) {
    const words = new Uint32Array(chunkBytes / 4)
    // Odd bytes only: -128 has no positive counterpart, and some kernels take absolute values.
    random.fill(words, 0x01010101)
    const chunk = new Uint8Array(words.buffer, 0, Math.min(chunkBytes, sizeBytes - written))
    for (let block = 0; block < chunk.length; block += blockBytes) {
      chunk[block] = low
      chunk[block + 1] = high
    }
    yield chunk
  }
}
