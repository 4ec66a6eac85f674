import { audioSampleRateHz, type SpeakerHint, type SpeakerTurns } from '../../core/speech.ts'
import { findSpeakers } from './clusters/find-speakers.ts'
import { nameSpeakers } from './clusters/name-speakers.ts'
import type { Heard } from './hear-windows.ts'
import { frameSpeakers } from './turns/frame-speakers.ts'
import { speakerTurns } from './turns/speaker-turns.ts'
import type { WindowGrid } from './windows/window-grid.ts'

/** A voice that speaks alone for less is no speaker, unless the recording is short or there are fewer speakers than the hint says. */
const leastSpeakerSeconds = 4
/** Models hear a breath as a pause; no word is as short as the shortest turn. */
const turnRules = { pauseSeconds: 0.3, shortestSeconds: 0.1 }

/** Returns the speakers' turns from the masks and voices of a whole recording. */
export async function labelTurns(
  { masks, voices }: Heard,
  grid: WindowGrid,
  hint: SpeakerHint,
  threshold: number,
): Promise<SpeakerTurns> {
  const framesASecond = audioSampleRateHz / grid.frameShiftSamples
  const windowsAFrame = grid.windowFrames / grid.stepFrames
  const leastFrames = leastSpeakerSeconds * framesASecond * windowsAFrame
  const means = await findSpeakers(voices, hint, { threshold, leastFrames })
  const named = nameSpeakers(voices, grid.windowCount, means)
  const frames = frameSpeakers({ ...named, grid, masks }, means.length)
  return { type: 'turns', turns: speakerTurns(frames, grid, turnRules) }
}
