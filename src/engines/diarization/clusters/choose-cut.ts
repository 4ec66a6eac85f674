import type { Merge } from './link-centroids.ts'

export interface CutRules {
  /** Distance of centroids above which clusters are different speakers. */
  readonly threshold: number
  /** Weight below which a cluster is not a speaker. */
  readonly minimumWeight: number
  readonly minimumSpeakers: number
  readonly maximumSpeakers: number
}

interface Cut {
  /** Number of merges to apply. */
  readonly mergeCount: number
  /** Minimum weight of a speaker's cluster: that of the rules, or less if there were too few speakers. */
  readonly minimumWeight: number
}

/**
 * Returns the number of merges that leaves the right clusters: all merges up to the threshold, more if there are too
 * many speakers, fewer if there are too few. If that is not enough, smaller clusters count as well. Fewer speakers
 * than the minimum result only from fewer points.
 */
export function chooseCut(merges: readonly Merge[], weights: Float64Array, rules: CutRules): Cut {
  const { threshold, minimumSpeakers, maximumSpeakers } = rules
  const beyond = merges.findIndex(({ distance }) => distance > threshold)
  const usual = beyond < 0 ? merges.length : beyond
  for (let minimumWeight = rules.minimumWeight; ; minimumWeight = Math.floor(minimumWeight / 2)) {
    const speakers = speakersAfter(merges, weights, minimumWeight)
    const speakersAt = (mergeCount: number) => speakers[mergeCount] ?? 0
    let mergeCount = usual
    while (mergeCount < merges.length && speakersAt(mergeCount) > maximumSpeakers) mergeCount += 1
    while (mergeCount > 0 && speakersAt(mergeCount) < minimumSpeakers) mergeCount -= 1
    if (speakersAt(mergeCount) >= minimumSpeakers || minimumWeight <= 1) return { mergeCount, minimumWeight }
  }
}

/** Returns the number of clusters of at least `minimumWeight` after each number of merges. */
function speakersAfter(merges: readonly Merge[], pointWeights: Float64Array, minimumWeight: number): Int32Array {
  const weights = pointWeights.slice()
  const isSpeaker = (weight: number) => (weight >= minimumWeight ? 1 : 0)
  const counts = new Int32Array(merges.length + 1)
  let count = weights.reduce((sum, weight) => sum + isSpeaker(weight), 0)
  counts[0] = count
  for (const [index, { into, from }] of merges.entries()) {
    const [intoWeight, fromWeight] = [weights[into] ?? 0, weights[from] ?? 0]
    weights[into] = intoWeight + fromWeight
    count += isSpeaker(intoWeight + fromWeight) - isSpeaker(intoWeight) - isSpeaker(fromWeight)
    counts[index + 1] = count
  }
  return counts
}
