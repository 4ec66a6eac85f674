import { type NamedSpeakers, nobody } from '../clusters/name-speakers.ts'
import { localSpeakers, speakersInMask } from '../windows/powerset.ts'
import type { WindowGrid } from '../windows/window-grid.ts'

/** Results of all windows of a recording. */
interface HeardWindows extends NamedSpeakers {
  readonly grid: WindowGrid
  /** Local speakers of each frame of each window, as bits. */
  readonly masks: Uint8Array
}

/**
 * Returns the speaker of each frame of the recording, or `nobody`. The windows that contain a frame vote. The frame is
 * speech if they hear at least half a speaker on average. It belongs to the speaker with the largest weight of votes;
 * ties keep the previous frame's speaker.
 */
export function frameSpeakers({ grid, masks, speakers, weights }: HeardWindows, speakerCount: number): Int16Array {
  const { windowCount, windowFrames, stepFrames, frameCount } = grid
  const found = new Int16Array(frameCount).fill(nobody)
  const votes = new Float64Array(speakerCount)
  let before = nobody
  for (let frame = 0; frame < frameCount; frame++) {
    const last = Math.min(windowCount - 1, Math.floor(frame / stepFrames))
    const first = Math.max(0, Math.ceil((frame - windowFrames + 1) / stepFrames))
    votes.fill(0)
    let heard = 0
    for (let window = first; window <= last; window++) {
      const mask = masks[window * windowFrames + frame - window * stepFrames] as number
      heard += speakersInMask[mask] as number
      for (let local = 0; mask >> local > 0; local++) {
        const speaker = speakers[window * localSpeakers + local] as number
        if (((mask >> local) & 1) === 0 || speaker === nobody) continue
        votes[speaker] = (votes[speaker] as number) + (weights[window * localSpeakers + local] as number)
      }
    }
    if (heard / (last - first + 1) < 0.5) continue
    const speaker = mostVotes(votes, before)
    found[frame] = speaker
    if (speaker !== nobody) before = speaker
  }
  return found
}

function mostVotes(votes: Float64Array, before: number): number {
  let best = before
  let bestVotes = before === nobody ? 0 : (votes[before] as number)
  for (let speaker = 0; speaker < votes.length; speaker++) {
    const count = votes[speaker] as number
    if (count > bestVotes) [best, bestVotes] = [speaker, count]
  }
  return bestVotes > 0 ? best : nobody
}
