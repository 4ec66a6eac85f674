/**
 * Returns cosine similarities of all pairs of vectors: a symmetric matrix with 1 on its diagonal. A zero vector is
 * similar to none.
 */
export function similarities(vectors: readonly (readonly number[])[]): number[][] {
  const lengths = vectors.map((vector) => Math.sqrt(dot(vector, vector)))
  return vectors.map((vector, row) =>
    vectors.map((other, column) => {
      if (row === column) return 1
      const length = (lengths[row] ?? 0) * (lengths[column] ?? 0)
      return length === 0 ? 0 : dot(vector, other) / length
    }),
  )
}

function dot(a: readonly number[], b: readonly number[]): number {
  return a.reduce((sum, value, index) => sum + value * (b[index] ?? 0), 0)
}

interface Pair {
  readonly row: number
  readonly column: number
  readonly similarity: number
}

/** Returns the most and the least similar pair of texts; undefined with fewer than three texts. */
export function extremes(matrix: readonly (readonly number[])[]): { closest: Pair; farthest: Pair } | undefined {
  const pairs = matrix
    .flatMap((values, row) => values.map((similarity, column) => ({ row, column, similarity })))
    .filter(({ row, column }) => row < column)
    .sort((a, b) => b.similarity - a.similarity)
  const [closest, farthest] = [pairs[0], pairs.at(-1)]
  return closest === undefined || farthest === undefined || matrix.length < 3 ? undefined : { closest, farthest }
}
