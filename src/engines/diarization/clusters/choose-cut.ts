import type { Merge } from './link-centroids.ts'

export interface CutRules {
  /** Clusters whose centroids are farther apart are different speakers. */
  readonly threshold: number
  /** Smaller clusters are no speakers. */
  readonly minimumWeight: number
  readonly minimumSpeakers: number
  readonly maximumSpeakers: number
}

export interface Cut {
  /** How many of the merges are made. */
  readonly mergeCount: number
  /** As in the rules, or less where there were not enough speakers otherwise. */
  readonly minimumWeight: number
}

/**
 * How many merges leave the right clusters: all up to the threshold. Where that leaves too many speakers, as many more as it
 * takes; where it leaves too few, as many less, or else smaller clusters count too. Fewer speakers than the minimum are found
 * only where there are fewer points.
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

/** How many clusters of at least `minimumWeight` there are after each number of merges. */
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
