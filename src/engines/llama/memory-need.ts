/** What an engine process needs in all: what llama.cpp tells, and what it does not. */
import type { MemoryBreakdown, MemoryBytes, PoolId } from '../../core/memory.ts'
import type { NativeModelInfo } from './native.ts'
import type { LlamaSettings } from './settings.ts'

const mebibyte = 1024 * 1024

/** Runtime, libraries, JavaScript heap: 83 to 104 MiB beside what llama.cpp tells, whatever the model's size. */
const processBytes = 92 * mebibyte

/** Of each token of the vocabulary: its text and its places in the tokenizer's maps. */
const tokenBytes = 240
/** Of each token, for each answer that is sampled: its logit, and the sampler's candidate. */
const sampledTokenBytes = 16

/** While a picture is decoded, its pixels lie there three times; of as many as the server takes unless the operator says otherwise. */
const decodedPictureBytes = 3 * 3 * 40_000_000

/** Pictures that are decoded and wait for their encoding: the next one is decoded while there are fewer. */
export const preparedPicturesBytes = 128 * mebibyte

/** A device's context and its libraries' workspaces, which nothing tells before the first load. */
const deviceBytes = 512 * mebibyte
const deviceShare = 0.02

/** `sees`: a projector is among what llama.cpp tells; pictures are decoded, and kept when they are encoded. */
export function needBytes(
  memory: MemoryBreakdown,
  { vocabularySize }: Pick<NativeModelInfo, 'vocabularySize'>,
  { prefixCacheMb, imageCacheMb, parallel }: Pick<LlamaSettings, 'prefixCacheMb' | 'imageCacheMb' | 'parallel'>,
  sees: boolean,
): MemoryBytes {
  const vocabularyBytes = vocabularySize * (tokenBytes + parallel * sampledTokenBytes)
  const pictureBytes = sees ? decodedPictureBytes + preparedPicturesBytes + imageCacheMb * mebibyte : 0
  const need: Record<PoolId, number> = {
    host: processBytes + vocabularyBytes + prefixCacheMb * mebibyte + pictureBytes,
  }
  for (const [pool, { modelBytes, contextBytes, computeBytes }] of Object.entries(memory)) {
    const told = modelBytes + contextBytes + computeBytes
    const untold = pool === 'host' || told === 0 ? 0 : deviceBytes + Math.ceil(told * deviceShare)
    if (told > 0) need[pool] = (need[pool] ?? 0) + told + untold
  }
  return need
}
