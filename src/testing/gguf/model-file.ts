import { rename, truncate } from 'node:fs/promises'
import { encodeHeader } from './encode-header.ts'
import { RandomWords } from './random-words.ts'
import { type TensorPlan, tensorChunks, tensorSizeBytes } from './tensor.ts'
import { align, type GgufMetadata } from './value.ts'

/** Plan of a model's file: its metadata, its tensors, and the seed of its random weights. */
export interface ModelPlan {
  readonly metadata: GgufMetadata
  readonly tensors: readonly TensorPlan[]
  readonly seed: number
}

/** Yields the file's bytes in order, in pieces of bounded size. The same plan gives the same bytes. */
export function* modelChunks(plan: ModelPlan): Generator<Uint8Array<ArrayBuffer>> {
  yield encodeHeader(plan.metadata, plan.tensors)
  const random = new RandomWords(plan.seed)
  for (const tensor of plan.tensors) {
    yield* tensorChunks(tensor, random)
    const sizeBytes = tensorSizeBytes(tensor)
    const paddingBytes = align(sizeBytes) - sizeBytes
    if (paddingBytes > 0) yield new Uint8Array(paddingBytes)
  }
}

/**
 * Writes the file beside its place first, so that an interrupted run leaves no incomplete file. Rejects with the disk's
 * errors.
 */
export async function writeModel(plan: ModelPlan, path: string): Promise<void> {
  const temporary = `${path}.tmp`
  const sink = Bun.file(temporary).writer()
  for (const chunk of modelChunks(plan)) {
    sink.write(chunk)
    await sink.flush()
  }
  await sink.end()
  await rename(temporary, path)
}

/** Writes only the header, into a sparse file of full size: enough for a dry run. */
export async function writeHeaderOnly(plan: ModelPlan, path: string): Promise<void> {
  const header = encodeHeader(plan.metadata, plan.tensors)
  const dataBytes = plan.tensors.reduce((sum, tensor) => sum + align(tensorSizeBytes(tensor)), 0)
  await Bun.write(path, header)
  await truncate(path, header.length + dataBytes)
}
