const small = [
  ...['zero', 'one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten', 'eleven', 'twelve'],
  ...['thirteen', 'fourteen', 'fifteen', 'sixteen', 'seventeen', 'eighteen', 'nineteen'],
]
const tens = ['twenty', 'thirty', 'forty', 'fifty', 'sixty', 'seventy', 'eighty', 'ninety']
const scales = [
  { value: 1_000_000_000, word: 'billion' },
  { value: 1_000_000, word: 'million' },
  { value: 1_000, word: 'thousand' },
  { value: 100, word: 'hundred' },
]
const irregularOrdinals: Readonly<Partial<Record<string, string>>> = {
  ...{ one: 'first', two: 'second', three: 'third', five: 'fifth', eight: 'eighth', nine: 'ninth', twelve: 'twelfth' },
}

/** All words of which numbers may consist. */
export const wordsOfNumbers: ReadonlySet<string> = new Set([...small, ...tens, ...scales.map(({ word }) => word)])

/** Returns the spoken words of a whole number of 0 to 999 billion, without `and`: 342 is `three hundred forty two`. */
export function numberWords(value: number): string[] {
  const scale = scales.find((scale) => scale.value <= value)
  if (scale !== undefined) {
    const rest = value % scale.value
    return [...numberWords(Math.floor(value / scale.value)), scale.word, ...(rest === 0 ? [] : numberWords(rest))]
  }
  if (value < 20) return small.slice(value, value + 1)
  const decade = tens.slice(Math.floor(value / 10) - 2).slice(0, 1)
  return value % 10 === 0 ? decade : [...decade, ...numberWords(value % 10)]
}

/** Returns the words of an ordinal number: 21 is `twenty first`. */
export function ordinalWords(value: number): string[] {
  const words = numberWords(value)
  const last = words.pop() ?? ''
  return [...words, irregularOrdinals[last] ?? `${last.replace(/y$/, 'ie')}th`]
}
