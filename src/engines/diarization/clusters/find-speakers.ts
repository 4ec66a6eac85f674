import type { SpeakerHint } from '../../../core/speech.ts'
import type { Voice } from '../hear-windows.ts'
import { toUnitLength } from '../voices/to-unit-length.ts'
import { type CutRules, chooseCut } from './choose-cut.ts'
import { clustersAfter, linkCentroids, type Points } from './link-centroids.ts'
import { meansOf, shrinkPoints } from './shrink-points.ts'

export interface SpeakerRules {
  /** Clusters whose centroids are farther apart are different speakers. */
  readonly threshold: number
  /** In as many windows with voices at least a speaker is heard, or in the tenth part of them where they are few. */
  readonly leastVoices: number
  /** A voice that speaks alone for fewer frames than this is not clustered, if others are. */
  readonly leastAloneFrames: number
}

/** More speakers have no labels of two digits. */
const speakersLimit = 100
const leastShare = 0.1

/** The mean voice of each speaker of a recording, of length 1. None where there are no voices. */
export function findSpeakers(
  voices: readonly Voice[],
  { minimumSpeakers = 1, maximumSpeakers = speakersLimit }: SpeakerHint,
  { threshold, leastVoices, leastAloneFrames }: SpeakerRules,
): readonly Float32Array[] {
  const clear = voices.filter(({ aloneFrames }) => aloneFrames >= leastAloneFrames)
  const chosen = clear.length >= Math.max(fewVoices, minimumSpeakers) ? clear : voices
  if (chosen.length === 0) return []
  const points = shrinkPoints(toPoints(chosen), threshold)
  const merges = linkCentroids(points)
  const rules: CutRules = {
    threshold,
    minimumWeight: Math.max(1, Math.min(leastVoices, Math.round(chosen.length * leastShare))),
    minimumSpeakers: Math.min(minimumSpeakers, speakersLimit),
    maximumSpeakers: Math.min(maximumSpeakers, speakersLimit),
  }
  const { mergeCount, minimumWeight } = chooseCut(merges, points.weights, rules)
  return centroids(points, clustersAfter(merges, mergeCount, points.count), minimumWeight)
}

const fewVoices = 3

function toPoints(voices: readonly Voice[]): Points {
  const dimensions = voices[0]?.vector.length ?? 0
  const values = new Float32Array(voices.length * dimensions)
  for (const [index, { vector }] of voices.entries()) values.set(vector, index * dimensions)
  return { count: voices.length, dimensions, values, weights: new Float64Array(voices.length).fill(1) }
}

/** Of each cluster that is heavy enough; the mean is made as long as a voice. */
function centroids(points: Points, clusters: Int32Array, minimumWeight: number): readonly Float32Array[] {
  const { count, dimensions, values, weights } = meansOf(points, clusters)
  const means = Array.from({ length: count }, (_, index) =>
    values.subarray(index * dimensions, (index + 1) * dimensions),
  )
  return means.filter((_, index) => (weights[index] ?? 0) >= minimumWeight).flatMap((mean) => toUnitLength(mean) ?? [])
}
