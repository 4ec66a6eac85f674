import type { AudioFile } from '../../core/speech.ts'
import { readSamples } from '../shared/read-samples.ts'
import { filterCount } from './voices/filterbank.ts'
import type { Embedding } from './voices/open-embedding.ts'
import { toUnitLength } from './voices/to-unit-length.ts'
import { speechOf, voiceEnergies } from './voices/voice-frames.ts'
import type { Segmentation } from './windows/open-segmentation.ts'
import { type WindowGrid, windowStart } from './windows/window-grid.ts'

/** Voice of one local speaker in a window. */
export interface Voice {
  readonly window: number
  readonly local: number
  /** Frames of the window in which nobody else speaks. */
  readonly aloneFrames: number
  /** Vector of length 1. */
  readonly vector: Float32Array
}

/** Result of consecutive windows. */
export interface Heard {
  /** Local speakers of each frame of each window, as bits. */
  readonly masks: Uint8Array
  readonly voices: readonly Voice[]
}

export interface Hearing {
  readonly segmentation: Segmentation
  readonly embedding: Embedding
}

export interface WindowRange {
  readonly first: number
  readonly count: number
}

/** Least speech of a voice, 0.2 s in frames of the filterbank. */
const leastVoiceFrames = 20

/**
 * Segments the windows and embeds voices. The energies of all are computed once. Rejects with errors of the models or
 * the disk.
 */
export async function hearWindows(
  { segmentation, embedding }: Hearing,
  audio: AudioFile,
  grid: WindowGrid,
  { first, count }: WindowRange,
): Promise<Heard> {
  const start = windowStart(grid, first)
  const end = windowStart(grid, first + count - 1) + grid.windowSamples
  const heard = new Float32Array(end - start) // silence behind the recording's end
  heard.set(await readSamples(audio, start, end))
  const energies = embedding.toEnergies(heard)
  const masks = new Uint8Array(count * grid.windowFrames)
  const voices = await Promise.all(
    Array.from({ length: count }, async (_, index) => {
      const window = first + index
      const offsetSamples = windowStart(grid, window) - start
      const own = await segmentation.segment(heard.slice(offsetSamples, offsetSamples + grid.windowSamples))
      masks.set(own, index * grid.windowFrames)
      return embedVoices(embedding, window, grid, { energies, offsetSamples }, own)
    }),
  )
  return { masks, voices: voices.flat() }
}

async function embedVoices(
  embedding: Embedding,
  window: number,
  grid: WindowGrid,
  energies: Parameters<typeof voiceEnergies>[0],
  masks: Uint8Array,
): Promise<readonly Voice[]> {
  const voices = await Promise.all(
    speechOf(masks).map(async ({ local, aloneFrames }) => {
      const alone = voiceEnergies(energies, masks, grid, { local, isAlone: true })
      const isEnough = alone.length >= leastVoiceFrames * filterCount
      const voice = isEnough ? alone : voiceEnergies(energies, masks, grid, { local, isAlone: false })
      if (voice.length < leastVoiceFrames * filterCount) return []
      const vector = toUnitLength(await embedding.embed(voice))
      return vector === undefined ? [] : [{ window, local, aloneFrames, vector }]
    }),
  )
  return voices.flat()
}
