import { setImmediate } from 'node:timers/promises'
import { clustersAfter, linkCentroids, type Points } from './link-centroids.ts'

/** Most points for clustering, which then takes 9 MB and a third of a second. */
const pointsLimit = 1500
/** Size of the parts in which the points of long recordings are first clustered: some minutes each. */
const partPoints = 500
/** Share of the threshold below which clusters of a part become one point. */
const shrinkShare = 0.5
/** Most points left of a part. */
const shrunkPoints = 100

/**
 * Returns at most `pointsLimit` points. Consecutive parts are clustered separately, and each cluster becomes one point:
 * its centroid with the weight of all its points. Yields to other requests between parts.
 */
export async function shrinkPoints(points: Points, threshold: number): Promise<Points> {
  let shrunk = points
  while (shrunk.count > pointsLimit) {
    const parts: Points[] = []
    for (let start = 0; start < shrunk.count; start += partPoints) {
      parts.push(shrinkPart(partOf(shrunk, start), threshold * shrinkShare))
      await setImmediate()
    }
    shrunk = joined(parts)
  }
  return shrunk
}

function partOf({ count, dimensions, values, weights }: Points, start: number): Points {
  const end = Math.min(count, start + partPoints)
  return {
    count: end - start,
    dimensions,
    values: values.subarray(start * dimensions, end * dimensions),
    weights: weights.subarray(start, end),
  }
}

function shrinkPart(part: Points, threshold: number): Points {
  const merges = linkCentroids(part)
  const beyond = merges.findIndex(({ distance }) => distance > threshold)
  const mergeCount = Math.max(beyond < 0 ? merges.length : beyond, part.count - shrunkPoints)
  return meansOf(part, clustersAfter(merges, mergeCount, part.count))
}

/** Returns the centroid of each cluster with its weight. */
export function meansOf({ dimensions, values, weights }: Points, clusters: Int32Array): Points {
  const names = [...new Set(clusters)]
  const places = new Map(names.map((cluster, place) => [cluster, place]))
  const means = new Float64Array(names.length * dimensions)
  const sums = new Float64Array(names.length)
  for (const [point, cluster] of clusters.entries()) {
    const place = places.get(cluster) ?? 0
    const weight = weights[point] ?? 0
    sums[place] = (sums[place] ?? 0) + weight
    for (let index = 0; index < dimensions; index++) {
      const at = place * dimensions + index
      means[at] = (means[at] ?? 0) + weight * (values[point * dimensions + index] ?? 0)
    }
  }
  return {
    count: names.length,
    dimensions,
    values: Float32Array.from(means, (sum, at) => sum / (sums[Math.floor(at / dimensions)] ?? 1)),
    weights: sums,
  }
}

function joined(parts: readonly Points[]): Points {
  const count = parts.reduce((sum, part) => sum + part.count, 0)
  const dimensions = parts[0]?.dimensions ?? 0
  const values = new Float32Array(count * dimensions)
  const weights = new Float64Array(count)
  let start = 0
  for (const part of parts) {
    values.set(part.values, start * dimensions)
    weights.set(part.weights, start)
    start += part.count
  }
  return { count, dimensions, values, weights }
}
