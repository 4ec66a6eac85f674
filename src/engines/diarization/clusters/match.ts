/**
 * The column of each row, no column twice, so that the sum of the scores is as large as possible. Rows are few, and so only
 * their best columns are tried. Rows that no column is left for have the best one of theirs nevertheless.
 */
export function matchRows(scores: readonly (readonly number[])[]): readonly number[] {
  const ranked = scores.map((row) => {
    const columns = row.map((_, column) => column).sort((a, b) => (row[b] ?? 0) - (row[a] ?? 0))
    return columns.slice(0, scores.length)
  })
  let best: readonly number[] = []
  let bestSum = Number.NEGATIVE_INFINITY
  const choose = (chosen: readonly number[], sum: number) => {
    const row = chosen.length
    if (row === scores.length) {
      if (sum > bestSum) [best, bestSum] = [chosen, sum]
      return
    }
    const columns = ranked[row] ?? []
    const free = columns.filter((column) => !chosen.includes(column))
    for (const column of free) choose([...chosen, column], sum + (scores[row]?.[column] ?? 0))
    if (columns.length < scores.length) choose([...chosen, none], sum)
  }
  choose([], 0)
  return best.map((column, row) => (column === none ? (ranked[row]?.[0] ?? none) : column))
}

const none = -1
