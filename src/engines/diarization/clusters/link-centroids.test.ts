import { expect, test } from 'bun:test'
import reference from './fixtures/linkage.json'
import { clustersAfter, linkCentroids, type Points } from './link-centroids.ts'

function points(rows: readonly (readonly number[])[], weights = rows.map(() => 1)): Points {
  const dimensions = rows[0]?.length ?? 0
  return { count: rows.length, dimensions, values: Float32Array.from(rows.flat()), weights: Float64Array.from(weights) }
}

/** Renumbers clusters in order of appearance, so that equal partitions compare equal. */
function groups(clusters: Iterable<number>): number[] {
  const names = new Map<number, number>()
  return Array.from(clusters, (cluster) => names.get(cluster) ?? names.set(cluster, names.size).size - 1)
}

test('the two nearest centroids merge first, and the distance is that of centroids', () => {
  // 0 and 1 merge to 0.5, 10 and 12 to 11: their distance is 10.5.
  const merges = linkCentroids(points([[0], [10], [1], [12]]))
  expect(merges.map(({ distance }) => distance)).toEqual([1, 2, 10.5])
  expect(groups(clustersAfter(merges, 1, 4))).toEqual([0, 1, 0, 2])
  expect(groups(clustersAfter(merges, 2, 4))).toEqual([0, 1, 0, 1])
  expect(groups(clustersAfter(merges, 3, 4))).toEqual([0, 0, 0, 0])
})

test('a centroid lies nearer to the heavier cluster', () => {
  const merges = linkCentroids(points([[0], [1], [3]], [3, 1, 1]))
  expect(merges.map(({ distance }) => distance)).toEqual([1, 2.75])
})

test('a merge may be nearer than the one before', () => {
  // The centroid of two corners of an equilateral triangle is nearer to the third corner than the two were to each
  // other.
  const [first, second] = linkCentroids(
    points([
      [0, 0],
      [1, 0],
      [0.5, 0.9],
    ]),
  ) // prettier than the square root of 3
  expect(first?.distance).toBe(1)
  expect(second?.distance).toBeCloseTo(0.9, 6)
})

// scipy.cluster.hierarchy.linkage(points, 'centroid') and fcluster(…, 3, 'maxclust'), of vectors of length 1.
test('the distances and clusters are those of the reference', () => {
  const merges = linkCentroids(points(reference.points))
  for (const [index, { distance }] of merges.entries()) expect(distance).toBeCloseTo(reference.distances[index] ?? 0, 5)
  const clusters = clustersAfter(merges, reference.points.length - 3, reference.points.length)
  expect(groups(clusters)).toEqual(groups(reference.clustersOfThree))
})

test('one point, and none, have nothing to merge', () => {
  expect(linkCentroids(points([[1, 0]]))).toEqual([])
  expect(linkCentroids(points([]))).toEqual([])
})

test('equal points merge at distance 0', () => {
  expect(linkCentroids(points([[1], [1], [1]])).map(({ distance }) => distance)).toEqual([0, 0])
})
