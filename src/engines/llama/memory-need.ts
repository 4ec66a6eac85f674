/** What an engine process needs in all: what llama.cpp tells, and what it does not. */
import type { MemoryBreakdown, MemoryBytes, PoolId } from '../../core/memory.ts'
import type { NativeModelInfo } from './native.ts'
import type { LlamaSettings } from './settings.ts'

const mebibyte = 1024 * 1024

/** Runtime, libraries, JavaScript heap: 83 to 104 MiB beside what llama.cpp tells, whatever the model's size. */
const processBytes = 92 * mebibyte

/** Of each token of the vocabulary: its text and its places in the tokenizer's maps. */
const tokenBytes = 240
/** Of each token: the sampler's candidate, for each answer; its logit, for each row that a step samples after. */
const candidateBytes = 12
const logitBytes = 4

/** While a picture is decoded, its pixels lie there three times; of as many as the server takes unless the operator says otherwise. */
const decodedPictureBytes = 3 * 3 * 40_000_000

/** Pictures that are decoded and wait for their encoding: the next one is decoded while there are fewer. */
export const preparedPicturesBytes = 128 * mebibyte

/** States of a batch: of the model, as the head's rows and as its input, and of the head. */
const stateCopies = 4
const numberBytes = 4

/** A device's context and its libraries' workspaces, which nothing tells before the first load. */
const deviceBytes = 512 * mebibyte
const deviceShare = 0.02

type SizeSettings = Pick<LlamaSettings, 'prefixCacheMb' | 'imageCacheMb' | 'parallel' | 'batchTokens'>

export interface ModelExtras {
  /** A projector is among what llama.cpp tells; pictures are decoded, and kept when they are encoded. */
  readonly sees: boolean
  /** A draft head is among it too; the model's states are passed on to it. */
  readonly hasHead: boolean
  /** A step may sample after so many rows where tokens are proposed; 0: none are, and there is a row for each answer. */
  readonly draftRows: number
}

export function needBytes(
  memory: MemoryBreakdown,
  { vocabularySize, embeddingSize }: Pick<NativeModelInfo, 'vocabularySize' | 'embeddingSize'>,
  { prefixCacheMb, imageCacheMb, parallel, batchTokens }: SizeSettings,
  { sees, hasHead, draftRows }: ModelExtras,
): MemoryBytes {
  const sampledBytes = parallel * candidateBytes + Math.max(parallel, draftRows) * logitBytes
  const vocabularyBytes = vocabularySize * (tokenBytes + sampledBytes)
  const headBytes = hasHead
    ? stateCopies * numberBytes * embeddingSize * batchTokens + numberBytes * vocabularySize * parallel
    : 0
  const pictureBytes = sees ? decodedPictureBytes + preparedPicturesBytes + imageCacheMb * mebibyte : 0
  const need: Record<PoolId, number> = {
    host: processBytes + vocabularyBytes + headBytes + prefixCacheMb * mebibyte + pictureBytes,
  }
  for (const [pool, { modelBytes, contextBytes, computeBytes }] of Object.entries(memory)) {
    const told = modelBytes + contextBytes + computeBytes
    const untold = pool === 'host' || told === 0 ? 0 : deviceBytes + Math.ceil(told * deviceShare)
    if (told > 0) need[pool] = (need[pool] ?? 0) + told + untold
  }
  return need
}
