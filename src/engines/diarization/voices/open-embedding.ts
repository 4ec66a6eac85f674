import { audioSampleRateHz } from '../../../core/speech.ts'
import type { SessionPool } from '../session-pool.ts'
import { type FilterbankSettings, filterbank, filterCount } from './filterbank.ts'

export interface Embedding {
  /** Returns the filterbank energies of samples. */
  readonly toEnergies: (samples: Float32Array) => Float32Array
  /** Resolves with the voice vector of the frames in `energies`, `filterCount` numbers each. Detaches `energies`. */
  embed(energies: Float32Array): Promise<Float32Array>
}

/**
 * Filterbank settings by the framework of a model. A model also works with the other framework's energies, since the
 * mean of each filter is subtracted.
 */
const fronts: Readonly<Record<string, Omit<FilterbankSettings, 'scale'>>> = {
  wespeaker: { window: 'hamming', highestHz: audioSampleRateHz / 2 },
  '3d-speaker': { window: 'povey', highestHz: audioSampleRateHz / 2 },
}

interface EmbeddingOptions {
  /** True to pad voices to a few lengths, so that several are computed together: see `inStep`. */
  readonly isStepped?: boolean
}

/** Reads the model's input format and tries it once. Throws if the model's framework is unknown. */
export async function openEmbedding(
  sessions: Pick<SessionPool, 'run'>,
  metadata: ReadonlyMap<string, string>,
  { isStepped = false }: EmbeddingOptions = {},
): Promise<Embedding> {
  const toEnergies = filterbank(filterbankSettings(metadata))
  const run = (energies: Float32Array) => {
    const frames = energies.length / filterCount
    subtractMeans(energies, frames)
    return sessions.run(energies, [1, frames, filterCount], 'numbers')
  }
  const { shape } = await run(toEnergies(new Float32Array(audioSampleRateHz)))
  const dimensions = metadata.get('output_dim') ?? 'numbers'
  if (shape.length !== 2 || shape[0] !== 1 || (dimensions !== 'numbers' && shape[1] !== Number(dimensions))) {
    throw new Error(`its output for one voice has the shape [${shape.join(', ')}] and not [1, ${dimensions}]`)
  }
  const embed = async (energies: Float32Array) =>
    Float32Array.from((await run(isStepped ? inStep(energies) : energies)).values)
  return { toEnergies, embed }
}

/** Most that a voice is lengthened: by a tenth, which changes its vector less than starting the window 50 ms later. */
const stepFactor = 1.1
const firstStepFrames = 20

/** Returns the energies padded to the next step of length, by repeating the first frames at the end. */
export function inStep(energies: Float32Array): Float32Array {
  const frames = energies.length / filterCount
  let steppedFrames = firstStepFrames
  while (steppedFrames < frames) steppedFrames = Math.ceil(steppedFrames * stepFactor)
  const stepped = new Float32Array(steppedFrames * filterCount)
  for (let at = 0; at < stepped.length; at += energies.length) {
    stepped.set(energies.subarray(0, stepped.length - at), at)
  }
  return stepped
}

function filterbankSettings(metadata: ReadonlyMap<string, string>): FilterbankSettings {
  const framework = metadata.get('framework') ?? 'wespeaker'
  const front = fronts[framework]
  if (front === undefined) {
    throw new Error(`it is of the framework "${framework}"; known are ${Object.keys(fronts).join(', ')}`)
  }
  const sampleRateHz = Number(metadata.get('sample_rate') ?? audioSampleRateHz)
  if (sampleRateHz !== audioSampleRateHz) {
    throw new Error(`it hears audio of ${sampleRateHz} Hz, and audio here has ${audioSampleRateHz} Hz`)
  }
  return { ...front, scale: metadata.get('normalize_samples') === '0' ? 32_768 : 1 }
}

/** Makes the mean of each filter over all frames 0, which removes the influence of microphone and room. */
function subtractMeans(energies: Float32Array, frames: number): void {
  for (let filter = 0; filter < filterCount; filter++) {
    let sum = 0
    for (let frame = 0; frame < frames; frame++) sum += energies[frame * filterCount + filter] ?? 0
    const mean = sum / frames
    for (let frame = 0; frame < frames; frame++) {
      const at = frame * filterCount + filter
      energies[at] = (energies[at] ?? 0) - mean
    }
  }
}
