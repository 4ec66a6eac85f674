import type { SpeakerHint } from '../../../core/speech.ts'
import type { Voice } from '../hear-windows.ts'
import { toUnitLength } from '../voices/to-unit-length.ts'
import { type CutRules, chooseCut } from './choose-cut.ts'
import { clustersAfter, linkCentroids, type Points } from './link-centroids.ts'
import { likestSpeaker } from './name-speakers.ts'
import { meansOf, shrinkPoints } from './shrink-points.ts'

export interface SpeakerRules {
  /** Distance of centroids above which clusters are different speakers. */
  readonly threshold: number
  /** Window frames in which a speaker must speak alone, or a tenth of all frames if that is less. */
  readonly leastFrames: number
}

/** Most speakers: labels have two digits. */
const speakersLimit = 100
const leastShare = 0.1
/** Rounds that reassign each voice to its most similar speaker, to correct early merges. */
const refinements = 2

/** Returns the mean voice of each speaker of a recording, of length 1. Empty without voices. */
export async function findSpeakers(
  voices: readonly Voice[],
  { minimumSpeakers = 1, maximumSpeakers = speakersLimit }: SpeakerHint,
  { threshold, leastFrames }: SpeakerRules,
): Promise<readonly Float32Array[]> {
  if (voices.length === 0) return []
  const all = toPoints(voices)
  const points = await shrinkPoints(all, threshold)
  const merges = linkCentroids(points)
  const frames = all.weights.reduce((sum, weight) => sum + weight, 0)
  const rules: CutRules = {
    threshold,
    minimumWeight: Math.max(1, Math.min(leastFrames, frames * leastShare)),
    minimumSpeakers: Math.min(minimumSpeakers, speakersLimit),
    maximumSpeakers: Math.min(maximumSpeakers, speakersLimit),
  }
  const { mergeCount, minimumWeight } = chooseCut(merges, points.weights, rules)
  let means = centroids(points, clustersAfter(merges, mergeCount, points.count), minimumWeight)
  for (let round = 0; round < refinements; round++) means = refinedMeans(all, means)
  return means
}

/** Returns points weighted by the time of speaking alone, because longer speech makes a voice better known. */
function toPoints(voices: readonly Voice[]): Points {
  const dimensions = voices[0]?.vector.length ?? 0
  const values = new Float32Array(voices.length * dimensions)
  const weights = Float64Array.from(voices, ({ aloneFrames }) => Math.max(1, aloneFrames))
  for (const [index, { vector }] of voices.entries()) values.set(vector, index * dimensions)
  return { count: voices.length, dimensions, values, weights }
}

/** Returns the mean of the voices most similar to each mean; the old mean if no voice is. */
function refinedMeans(voices: Points, means: readonly Float32Array[]): readonly Float32Array[] {
  const clusters = Int32Array.from(
    { length: voices.count },
    (_, index) => likestSpeaker(vectorOf(voices, index), means).speaker,
  )
  const refined = meansOf(voices, clusters)
  const speakers = [...new Set(clusters)] // in the order of the refined means
  return means.map((mean, speaker) => {
    const place = speakers.indexOf(speaker)
    return place < 0 ? mean : (toUnitLength(vectorOf(refined, place)) ?? mean)
  })
}

/** Returns the mean of each cluster that is heavy enough, scaled to length 1. */
function centroids(points: Points, clusters: Int32Array, minimumWeight: number): readonly Float32Array[] {
  const means = meansOf(points, clusters)
  const all = Array.from({ length: means.count }, (_, index) => vectorOf(means, index))
  const heavy = all.filter((_, index) => (means.weights[index] ?? 0) >= minimumWeight)
  return heavy.flatMap((mean) => toUnitLength(mean) ?? [])
}

function vectorOf({ dimensions, values }: Points, index: number): Float32Array {
  return values.subarray(index * dimensions, (index + 1) * dimensions)
}
