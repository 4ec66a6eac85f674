import { audioSampleRateHz } from '../../../core/speech.ts'

/** Input and output sizes of a segmentation model. */
export interface WindowShape {
  readonly windowSamples: number
  /** Frames per window. */
  readonly windowFrames: number
  /** Distance between the starts of two frames. */
  readonly frameShiftSamples: number
  /** Samples that the model uses for one frame. */
  readonly frameFieldSamples: number
}

/** Windows of a recording. Their frames coincide with frames of the whole recording. */
export interface WindowGrid extends WindowShape {
  readonly windowCount: number
  /** Distance between two windows. */
  readonly stepFrames: number
  /** Frames of the recording. */
  readonly frameCount: number
}

/**
 * Distance between windows as a share of a window. pyannote.audio uses half of this, which took twice the time and
 * changed the turns by at most 0.5 % of the speech, with its own segmentation model and with the starter's.
 */
const stepShare = 0.2

/** Returns the grid, with at least one window. The last window may reach beyond the end of the recording. */
export function windowGrid(shape: WindowShape, sampleCount: number): WindowGrid {
  const { windowSamples, windowFrames, frameShiftSamples } = shape
  const stepFrames = Math.max(1, Math.round(windowFrames * stepShare))
  const steps = Math.max(0, Math.ceil((sampleCount - windowSamples) / (stepFrames * frameShiftSamples)))
  const frames = Math.ceil(sampleCount / frameShiftSamples)
  return {
    ...shape,
    windowCount: steps + 1,
    stepFrames,
    frameCount: Math.min(frames, steps * stepFrames + windowFrames),
  }
}

/** Returns the first sample of a window. */
export function windowStart({ stepFrames, frameShiftSamples }: WindowGrid, window: number): number {
  return window * stepFrames * frameShiftSamples
}

/** Returns the start of a frame of the recording, halfway between its middle and the previous frame's. */
export function frameStartSeconds({ frameShiftSamples, frameFieldSamples }: WindowGrid, frame: number): number {
  const middle = frame * frameShiftSamples + frameFieldSamples / 2
  return Math.max(0, (middle - frameShiftSamples / 2) / audioSampleRateHz)
}
