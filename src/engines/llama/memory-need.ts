/** Total memory need of an engine process: llama.cpp's figures, plus what they leave out. */
import type { MemoryBreakdown, MemoryBytes, PoolId } from '../../core/memory.ts'
import type { NativeModelInfo } from './native.ts'
import type { LlamaSettings } from './settings.ts'

const mebibyte = 1024 * 1024

/** Runtime, libraries, JavaScript heap: 83 to 104 MiB beside llama.cpp's figures for any model size. */
const processBytes = 92 * mebibyte

/** Bytes per token of the vocabulary: its text and its places in the tokenizer's maps. */
const tokenBytes = 240
/** Bytes per token and answer for the sampler's candidates. */
const candidateBytes = 12
const logitBytes = 4

/** Memory of decoding the largest picture by default: its pixels exist three times meanwhile. */
const decodedPictureBytes = 3 * 3 * 40_000_000

/** Bytes of decoded pictures that wait for encoding. The next picture is decoded while there are fewer. */
export const preparedPicturesBytes = 128 * mebibyte

/**
 * Copies of a batch's states: the model's states, the same as the head's rows and as its input, and the head's states.
 */
const stateCopies = 4
const numberBytes = 4

/** Memory of a device's context and its libraries' workspaces, which is unknown before the first load. */
const deviceBytes = 512 * mebibyte
const deviceShare = 0.02

type SizeSettings = Pick<LlamaSettings, 'prefixCacheMb' | 'imageCacheMb' | 'parallel' | 'batchTokens'>

interface ModelExtras {
  /** True if llama.cpp's figures include a projector: pictures are then decoded, encoded and cached. */
  readonly sees: boolean
  /** True if llama.cpp's figures include a draft head, which receives the model's states. */
  readonly hasHead: boolean
  /** Rows that a step may sample after if tokens are proposed. 0 means one row per answer. */
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
