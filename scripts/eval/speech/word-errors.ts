export interface WordErrors {
  readonly substitutions: number
  readonly deletions: number
  readonly insertions: number
  /** Number of words of the reference. */
  readonly words: number
}

/** Indices of a reference word and of the equal word in the hypothesis. */
export interface SameWord {
  readonly reference: number
  readonly hypothesis: number
}

export interface Alignment extends WordErrors {
  readonly same: readonly SameWord[]
}

/** Aligns two lists of words with the fewest errors (Levenshtein); of equally good ones, substitutions come first. */
export function alignWords(reference: readonly string[], hypothesis: readonly string[]): Alignment {
  const width = hypothesis.length + 1
  const errors = new Uint32Array((reference.length + 1) * width)
  const at = (row: number, column: number) => errors[row * width + column] ?? 0
  const replaced = (row: number, column: number) =>
    at(row - 1, column - 1) + (reference[row - 1] === hypothesis[column - 1] ? 0 : 1)
  for (let row = 0; row <= reference.length; row++) {
    for (let column = 0; column < width; column++) {
      errors[row * width + column] =
        row === 0 || column === 0
          ? row + column
          : Math.min(replaced(row, column), at(row - 1, column) + 1, at(row, column - 1) + 1)
    }
  }
  const same: SameWord[] = []
  const counts = { substitutions: 0, deletions: 0, insertions: 0 }
  let row = reference.length
  let column = hypothesis.length
  while (row > 0 || column > 0) {
    if (row > 0 && column > 0 && at(row, column) === replaced(row, column)) {
      row--
      column--
      if (reference[row] === hypothesis[column]) same.unshift({ reference: row, hypothesis: column })
      else counts.substitutions++
    } else if (row > 0 && at(row, column) === at(row - 1, column) + 1) {
      row--
      counts.deletions++
    } else {
      column--
      counts.insertions++
    }
  }
  return { ...counts, words: reference.length, same }
}

/** Returns the word error rate: all errors divided by all words. 0 without words and errors. */
export function wordErrorRate(all: readonly WordErrors[]): number {
  const errors = all.reduce((sum, each) => sum + each.substitutions + each.deletions + each.insertions, 0)
  return errors === 0 ? 0 : errors / all.reduce((sum, { words }) => sum + words, 0)
}
