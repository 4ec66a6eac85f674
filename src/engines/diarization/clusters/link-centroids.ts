/** Vectors of the same length, stored in one array. */
export interface Points {
  readonly count: number
  readonly dimensions: number
  readonly values: Float32Array
  /** Number of voices per point. */
  readonly weights: Float64Array
}

/** Merge of point `from`'s cluster into point `into`'s. Each point begins as its own cluster. */
export interface Merge {
  readonly into: number
  readonly from: number
  /** Euclidean distance of the two clusters' centroids. It may be smaller than in an earlier merge. */
  readonly distance: number
}

/**
 * Clusters agglomeratively with centroid linkage: merges the two clusters with the nearest centroids until one cluster
 * is left. Needs 4 bytes times the square of `count`. Derives the distances of merged clusters from earlier ones
 * (Lance and Williams).
 */
export function linkCentroids(points: Points): readonly Merge[] {
  const { count } = points
  const squares = squaredDistances(points)
  const weights = points.weights.slice()
  const nearest = new Int32Array(count).fill(-1)
  const nearestSquares = new Float64Array(count).fill(Number.POSITIVE_INFINITY)
  const open = Int32Array.from({ length: count }, (_, index) => index)
  let openCount = count
  const findNearest = (point: number) => {
    let best = Number.POSITIVE_INFINITY
    let bestPoint = -1
    for (let index = 0; index < openCount; index++) {
      const other = open[index] as number
      const square = squares[point * count + other] as number
      if (other === point || square >= best) continue
      best = square
      bestPoint = other
    }
    nearest[point] = bestPoint
    nearestSquares[point] = best
  }
  for (let point = 0; point < count; point++) findNearest(point)
  const merges: Merge[] = []
  while (openCount > 1) {
    let into = open[0] as number
    for (let index = 1; index < openCount; index++) {
      const point = open[index] as number
      if ((nearestSquares[point] as number) < (nearestSquares[into] as number)) into = point
    }
    const from = nearest[into] as number
    const square = nearestSquares[into] as number
    merges.push({ into, from, distance: Math.sqrt(Math.max(0, square)) })
    open[open.indexOf(from)] = open[--openCount] as number
    const [intoWeight, fromWeight] = [weights[into] as number, weights[from] as number]
    const weight = intoWeight + fromWeight
    weights[into] = weight
    const inner = (intoWeight * fromWeight * square) / (weight * weight)
    for (let index = 0; index < openCount; index++) {
      const other = open[index] as number
      if (other === into) continue
      const toInto = squares[into * count + other] as number
      const toFrom = squares[from * count + other] as number
      const updated = (intoWeight * toInto + fromWeight * toFrom) / weight - inner
      squares[into * count + other] = updated
      squares[other * count + into] = updated
    }
    for (let index = 0; index < openCount; index++) {
      const other = open[index] as number
      const wasNearest = nearest[other] === from || nearest[other] === into
      if (other === into || wasNearest) findNearest(other)
      else if ((squares[other * count + into] as number) < (nearestSquares[other] as number)) {
        nearest[other] = into
        nearestSquares[other] = squares[other * count + into] as number
      }
    }
  }
  return merges
}

function squaredDistances({ count, dimensions, values }: Points): Float32Array {
  const squares = new Float32Array(count * count)
  for (let first = 0; first < count; first++) {
    for (let second = first + 1; second < count; second++) {
      let sum = 0
      for (let index = 0; index < dimensions; index++) {
        const difference =
          (values[first * dimensions + index] as number) - (values[second * dimensions + index] as number)
        sum += difference * difference
      }
      squares[first * count + second] = sum
      squares[second * count + first] = sum
    }
  }
  return squares
}

/** Returns the cluster of each point after the first `mergeCount` merges, named by one of its points. */
export function clustersAfter(merges: readonly Merge[], mergeCount: number, pointCount: number): Int32Array {
  const clusters = Int32Array.from({ length: pointCount }, (_, index) => index)
  // In reverse order, so that `into` already has its final cluster.
  for (const { into, from } of merges.slice(0, mergeCount).reverse()) clusters[from] = clusters[into] ?? into
  return clusters
}
