/**
 * Returns each row's column, no column twice, so that the sum of their `gains` is as large as possible; -1 for rows
 * left over if there are more rows than columns. Hungarian algorithm with potentials, in time n^3 of the larger side.
 */
export function bestAssignment(gains: readonly (readonly number[])[]): number[] {
  const columns = gains[0]?.length ?? 0
  const size = Math.max(gains.length, columns)
  const cost = (row: number, column: number) => -(gains[row - 1]?.[column - 1] ?? 0)
  // Rows and columns count from 1. Column 0 stands for the row that is being assigned.
  const rowPotential = new Float64Array(size + 1)
  const columnPotential = new Float64Array(size + 1)
  const rowOf = new Int32Array(size + 1)
  const read = (values: Float64Array | Int32Array, index: number) => values[index] ?? 0
  for (let row = 1; row <= size; row++) {
    const slack = new Float64Array(size + 1).fill(Number.POSITIVE_INFINITY)
    const from = new Int32Array(size + 1)
    const isVisited = new Uint8Array(size + 1)
    rowOf[0] = row
    let column = 0
    while (read(rowOf, column) !== 0) {
      isVisited[column] = 1
      const current = read(rowOf, column)
      let nearest = 0
      let delta = Number.POSITIVE_INFINITY
      for (let other = 1; other <= size; other++) {
        if (isVisited[other] === 1) continue
        const reduced = cost(current, other) - read(rowPotential, current) - read(columnPotential, other)
        if (reduced < read(slack, other)) {
          slack[other] = reduced
          from[other] = column
        }
        if (read(slack, other) < delta) {
          delta = read(slack, other)
          nearest = other
        }
      }
      for (let other = 0; other <= size; other++) {
        if (isVisited[other] === 1) {
          rowPotential[read(rowOf, other)] = read(rowPotential, read(rowOf, other)) + delta
          columnPotential[other] = read(columnPotential, other) - delta
        } else slack[other] = read(slack, other) - delta
      }
      column = nearest
    }
    while (column !== 0) {
      const before = read(from, column)
      rowOf[column] = read(rowOf, before)
      column = before
    }
  }
  const assigned = gains.map(() => -1)
  for (let column = 1; column <= columns; column++) {
    const row = read(rowOf, column) - 1
    if (row < gains.length) assigned[row] = column - 1
  }
  return assigned
}
