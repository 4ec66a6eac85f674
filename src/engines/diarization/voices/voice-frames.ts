import { localSpeakers } from '../windows/powerset.ts'
import type { WindowShape } from '../windows/window-grid.ts'
import { filterCount, frameCentre, frameCount, frameShiftSamples } from './filterbank.ts'

/** One of a window's own speakers, who speaks in it. */
export interface LocalSpeech {
  readonly local: number
  /** Frames of the window in which nobody else speaks. */
  readonly aloneFrames: number
}

/** The speakers of a window who speak at all. `masks`: of its frames. */
export function speechOf(masks: Uint8Array): readonly LocalSpeech[] {
  return Array.from({ length: localSpeakers }, (_, local) => local)
    .filter((local) => masks.some((mask) => ((mask >> local) & 1) === 1))
    .map((local) => ({
      local,
      aloneFrames: masks.reduce((count, mask) => (mask === 1 << local ? count + 1 : count), 0),
    }))
}

/** Frames of the filterbank, of which `energies` holds all of a window and more. */
export interface WindowEnergies {
  readonly energies: Float32Array
  /** Where the window starts, in samples from where the energies do. */
  readonly offsetSamples: number
}

/**
 * The energies of the frames in which a window's own speaker speaks, or speaks alone. A filterbank's frame belongs to the
 * window's frame whose middle is nearest to its own.
 */
export function voiceEnergies(
  { energies, offsetSamples }: WindowEnergies,
  masks: Uint8Array,
  shape: WindowShape,
  { local, isAlone }: { readonly local: number; readonly isAlone: boolean },
): Float32Array {
  const total = energies.length / filterCount
  const inside = frameCount(shape.windowSamples)
  const first = Math.ceil(offsetSamples / frameShiftSamples)
  const chosen: number[] = []
  for (let frame = first; frame < Math.min(total, first + inside); frame++) {
    const middle = frameCentre(frame) - offsetSamples - shape.frameFieldSamples / 2
    const mask = masks[Math.round(middle / shape.frameShiftSamples)] ?? 0
    const speaks = isAlone ? mask === 1 << local : ((mask >> local) & 1) === 1
    if (speaks) chosen.push(frame)
  }
  const voice = new Float32Array(chosen.length * filterCount)
  for (const [index, frame] of chosen.entries()) {
    voice.set(energies.subarray(frame * filterCount, (frame + 1) * filterCount), index * filterCount)
  }
  return voice
}
