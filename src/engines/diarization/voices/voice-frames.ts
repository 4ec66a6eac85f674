import { localSpeakers } from '../windows/powerset.ts'
import type { WindowShape } from '../windows/window-grid.ts'
import { filterCount, frameCentre, frameCount, frameShiftSamples } from './filterbank.ts'

/** Local speaker who speaks in a window. */
interface LocalSpeech {
  readonly local: number
  /** Frames of the window in which nobody else speaks. */
  readonly aloneFrames: number
}

/** Returns the speakers of a window who speak at all. `masks` has one entry per frame. */
export function speechOf(masks: Uint8Array): readonly LocalSpeech[] {
  return Array.from({ length: localSpeakers }, (_, local) => local)
    .filter((local) => masks.some((mask) => ((mask >> local) & 1) === 1))
    .map((local) => ({
      local,
      aloneFrames: masks.reduce((count, mask) => (mask === 1 << local ? count + 1 : count), 0),
    }))
}

/** Frames of the filterbank. `energies` covers the window and more. */
interface WindowEnergies {
  readonly energies: Float32Array
  /** Start of the window, in samples after the start of the energies. */
  readonly offsetSamples: number
}

/**
 * Returns the energies of the frames in which a local speaker speaks, or speaks alone. A frame of the filterbank
 * belongs to the window frame with the nearest middle.
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
