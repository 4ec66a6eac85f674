/** Returns the candidate closest to `word` by edit distance, for "did you mean"; undefined if none is close. */
export function nearest(word: string, candidates: Iterable<string>): string | undefined {
  const limit = Math.max(2, Math.floor(word.length / 3))
  let best: string | undefined
  let bestDistance = limit + 1
  for (const candidate of candidates) {
    const distance = editDistance(word.toLowerCase(), candidate.toLowerCase())
    if (distance < bestDistance) {
      best = candidate
      bestDistance = distance
    }
  }
  return best
}

/** Longest list that helps on one line. */
const shownCandidates = 12

/** Returns ` (did you mean "x"?)`, or if no name is close a list of the permitted ones. Empty if that is long. */
export function suggestion(word: string, candidates: readonly string[]): string {
  const match = nearest(word, candidates)
  if (match !== undefined) return ` (did you mean "${match}"?)`
  return candidates.length === 0 || candidates.length > shownCandidates ? '' : ` (known: ${candidates.join(', ')})`
}

function editDistance(left: string, right: string): number {
  let previous = Array.from({ length: right.length + 1 }, (_, index) => index)
  for (let row = 1; row <= left.length; row++) {
    const current = [row]
    for (let column = 1; column <= right.length; column++) {
      const substitution = (previous[column - 1] ?? 0) + (left[row - 1] === right[column - 1] ? 0 : 1)
      current.push(Math.min(substitution, (previous[column] ?? 0) + 1, (current[column - 1] ?? 0) + 1))
    }
    previous = current
  }
  return previous[right.length] ?? 0
}
