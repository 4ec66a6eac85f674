import { audioSampleRateHz } from '../../../core/speech.ts'
import type { SessionPool } from '../session-pool.ts'
import { localSpeakers, powersetMasks } from './powerset.ts'
import type { WindowShape } from './window-grid.ts'

export interface Segmentation {
  readonly shape: WindowShape
  /** Returns the speakers of each frame of a window as bits. Consumes `samples`. */
  segment(samples: Float32Array): Promise<Uint8Array>
}

/**
 * Metadata of pyannote's segmentation-3.0, which its exports may lack: three speakers in 10 s, two of them at a time.
 */
const usual = {
  window_size: 160_000,
  receptive_field_shift: 270,
  receptive_field_size: 991,
  num_speakers: 3,
  powerset_max_classes: 2,
  sample_rate: audioSampleRateHz,
}

/** Largest number accepted in metadata: a window of a minute. */
const numberLimit = 60 * audioSampleRateHz

/** Reads the model's metadata and tries it once. Throws unless it is a supported powerset model. */
export async function openSegmentation(
  sessions: Pick<SessionPool, 'run'>,
  metadata: ReadonlyMap<string, string>,
): Promise<Segmentation> {
  const said = (name: keyof typeof usual, limit = numberLimit) => {
    const value = Number(metadata.get(name) ?? usual[name])
    if (Number.isInteger(value) && value >= 1 && value <= limit) return value
    throw new Error(`its metadata say ${name} = "${metadata.get(name)}"; it must be a whole number from 1 to ${limit}`)
  }
  if (said('sample_rate') !== audioSampleRateHz) {
    throw new Error(`it segments audio of ${said('sample_rate')} Hz, and audio here has ${audioSampleRateHz} Hz`)
  }
  const masks = powersetMasks(said('num_speakers', localSpeakers), said('powerset_max_classes', localSpeakers))
  const windowSamples = said('window_size')
  const run = (samples: Float32Array) => sessions.run(samples, [1, 1, windowSamples], 'classes')
  const tried = await run(new Float32Array(windowSamples))
  const [windows, windowFrames = 0, classes] = tried.shape
  if (tried.shape.length !== 3 || windows !== 1 || classes !== masks.length) {
    const wanted = `[1, frames, ${masks.length}]`
    throw new Error(`its output for one window has the shape [${tried.shape.join(', ')}] and not ${wanted}`)
  }
  const [frameShiftSamples, frameFieldSamples] = [said('receptive_field_shift'), said('receptive_field_size')]
  const heardSamples = (windowFrames - 1) * frameShiftSamples + frameFieldSamples
  if (Math.abs(heardSamples - windowSamples) > 2 * frameFieldSamples) {
    throw new Error(
      `its ${windowFrames} frames of ${frameShiftSamples} samples do not make up a window of ${windowSamples}`,
    )
  }
  return {
    shape: { windowSamples, windowFrames, frameShiftSamples, frameFieldSamples },
    segment: async (samples) => {
      const { values } = await run(samples)
      return Uint8Array.from(values, (index) => masks[index] ?? 0)
    },
  }
}
