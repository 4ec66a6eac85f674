import type { Voice } from '../hear-windows.ts'
import { localSpeakers } from '../windows/powerset.ts'

export const nobody = -1

/** Of each of the windows' own speakers, `localSpeakers` a window. */
export interface NamedSpeakers {
  /** The speaker of the recording whose mean voice is most like it, or `nobody`. */
  readonly speakers: Int16Array
  /** The weight of its votes: the larger, the less any other mean voice is like it. */
  readonly weights: Float32Array
}

/** A voice that is like two speakers is often both: the window took them for one. Its votes count, but little. */
const leastWeight = 0.02

export function nameSpeakers(
  voices: readonly Voice[],
  windowCount: number,
  means: readonly Float32Array[],
): NamedSpeakers {
  const speakers = new Int16Array(windowCount * localSpeakers).fill(nobody)
  const weights = new Float32Array(windowCount * localSpeakers)
  for (const { window, local, vector } of voices) {
    const { speaker, margin } = likestSpeaker(vector, means)
    speakers[window * localSpeakers + local] = speaker
    weights[window * localSpeakers + local] = Math.min(1, margin + leastWeight) ** 2
  }
  return { speakers, weights }
}

export interface LikestSpeaker {
  readonly speaker: number
  /** How much less the voice is like the next speaker, as a difference of cosines; 1 where there is none. */
  readonly margin: number
}

/** All vectors have length 1. */
export function likestSpeaker(vector: Float32Array, means: readonly Float32Array[]): LikestSpeaker {
  let speaker = nobody
  let [best, second] = [Number.NEGATIVE_INFINITY, Number.NEGATIVE_INFINITY]
  for (const [index, mean] of means.entries()) {
    let likeness = 0
    for (let at = 0; at < vector.length; at++) likeness += (vector[at] as number) * (mean[at] as number)
    if (likeness > best) {
      second = best
      best = likeness
      speaker = index
    } else if (likeness > second) second = likeness
  }
  return { speaker, margin: means.length > 1 ? best - second : 1 }
}
