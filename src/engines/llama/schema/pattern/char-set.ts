/** Sets of characters as sorted, separate ranges of code points. */
export type CharSet = readonly (readonly [from: number, to: number])[]

const last = 0x10ffff

export function union(...sets: readonly CharSet[]): CharSet {
  const sorted = sets.flat().toSorted((left, right) => left[0] - right[0])
  const joined: [number, number][] = []
  for (const [from, to] of sorted) {
    const previous = joined.at(-1)
    if (previous !== undefined && from <= previous[1] + 1) previous[1] = Math.max(previous[1], to)
    else joined.push([from, to])
  }
  return joined
}

export function complement(set: CharSet): CharSet {
  const rest: [number, number][] = []
  let next = 0
  for (const [from, to] of union(set)) {
    if (from > next) rest.push([next, from - 1])
    next = to + 1
  }
  if (next <= last) rest.push([next, last])
  return rest
}

export function intersection(left: CharSet, right: CharSet): CharSet {
  return complement(union(complement(left), complement(right)))
}

export function contains(set: CharSet, char: number): boolean {
  return set.some(([from, to]) => from <= char && char <= to)
}

function charsOf(text: string): CharSet {
  return union([...text].map((char) => [char.codePointAt(0) ?? 0, char.codePointAt(0) ?? 0] as const))
}

/** Characters that stand for themselves in JSON text: no quote, backslash, control character or surrogate. */
export const plainInJson: CharSet = complement([
  [0x00, 0x1f],
  [0x22, 0x22],
  [0x5c, 0x5c],
  [0x7f, 0x7f],
  [0xd800, 0xdfff],
])

const digits: CharSet = [[0x30, 0x39]]
const words: CharSet = union(digits, [[0x41, 0x5a]], [[0x5f, 0x5f]], [[0x61, 0x7a]])
const spaces = union(charsOf('\t\n\v\f\r \u00a0\u1680\u2028\u2029\u202f\u205f\u3000\ufeff'), [[0x2000, 0x200a]])

/** The sets that `\d`, `\w` and `\s` stand for. */
export const namedSets = { digit: digits, word: words, space: spaces } as const

/** The characters that `.` matches. */
export const anyChar: CharSet = complement(charsOf('\n\r\u2028\u2029'))
