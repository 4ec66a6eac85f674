import type { SpeakerHint, SpeakerTurns } from '../../core/speech.ts'
import { findSpeakers } from './clusters/find-speakers.ts'
import { nameSpeakers } from './clusters/name-speakers.ts'
import type { Heard } from './hear-windows.ts'
import { frameSpeakers } from './turns/frame-speakers.ts'
import { speakerTurns } from './turns/speaker-turns.ts'
import type { WindowGrid } from './windows/window-grid.ts'

/** A speaker is heard for so many seconds at least: this many windows with voices, about. */
const leastVoices = 4
const leastAloneShare = 0.2
const turnRules = { pauseSeconds: 0.3, shortestSeconds: 0.1 }

/** Who speaks when, from all that was heard of a recording. */
export function labelTurns(heard: Heard, grid: WindowGrid, hint: SpeakerHint, threshold: number): SpeakerTurns {
  const leastAloneFrames = leastAloneShare * grid.windowFrames
  const means = findSpeakers(heard.voices, hint, { threshold, leastVoices, leastAloneFrames })
  const speakers = nameSpeakers(heard, grid, means)
  const frames = frameSpeakers({ grid, masks: heard.masks, speakers }, means.length)
  return { type: 'turns', turns: speakerTurns(frames, grid, turnRules) }
}
