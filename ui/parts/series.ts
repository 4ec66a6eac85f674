/** Colours of series: `series-1` to `series-8` of the stylesheet. */
const seriesCount = 8

/** Returns the number of a model's colour, the same on all pages. */
export function seriesOf(id: string): number {
  let hash = 0
  for (const character of id) hash = (hash * 31 + (character.codePointAt(0) ?? 0)) % 9_973
  return (hash % seriesCount) + 1
}
