import { audioSampleRateHz } from '../../../core/speech.ts'

/** What a segmentation model hears at once, and what it says of it. */
export interface WindowShape {
  readonly windowSamples: number
  /** Frames of a window. */
  readonly windowFrames: number
  /** From the start of one frame to that of the next. */
  readonly frameShiftSamples: number
  /** What the model hears of one frame. */
  readonly frameFieldSamples: number
}

/** The windows of a recording. They are laid so that their frames fall on frames of one row for the whole recording. */
export interface WindowGrid extends WindowShape {
  readonly windowCount: number
  /** From one window to the next. */
  readonly stepFrames: number
  /** Of the recording. */
  readonly frameCount: number
}

/**
 * Each window starts about this part of a window after the one before. pyannote.audio steps by half as much; that took twice the
 * time and found the same turns, give or take 0.5 % of the speech, with its own segmentation model and with the starter's.
 */
const stepShare = 0.2

/** The last window may reach beyond the end of the recording; there is always one. */
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

/** Where a window starts. */
export function windowStart({ stepFrames, frameShiftSamples }: WindowGrid, window: number): number {
  return window * stepFrames * frameShiftSamples
}

/** Where a frame of the recording starts, halfway between its middle and that of the frame before. */
export function frameStartSeconds({ frameShiftSamples, frameFieldSamples }: WindowGrid, frame: number): number {
  const middle = frame * frameShiftSamples + frameFieldSamples / 2
  return Math.max(0, (middle - frameShiftSamples / 2) / audioSampleRateHz)
}
