import type { Voice } from '../hear-windows.ts'
import { localSpeakers } from '../windows/powerset.ts'

export const nobody = -1

/** One value for each local speaker of each window, `localSpeakers` per window. */
export interface NamedSpeakers {
  /** Speaker of the recording whose mean voice is most similar to that of the local speaker, or `nobody`. */
  readonly speakers: Int16Array
  /** Weight of the local speaker's votes: larger the less similar any other mean voice is. */
  readonly weights: Float32Array
}

/**
 * Least weight. A voice similar to two speakers is often both of them, merged by the segmentation: its votes count
 * only a little.
 */
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

interface LikestSpeaker {
  readonly speaker: number
  /** Difference of cosines to the next most similar speaker; 1 if there is none. */
  readonly margin: number
}

/** Returns the speaker with the most similar mean voice. All vectors have length 1. */
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
