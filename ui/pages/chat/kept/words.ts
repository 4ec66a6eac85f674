/** Words of conversations, by which they are found. */

/** Returns the different words of the texts, folded and separated by spaces. */
export function wordsOf(texts: readonly string[]): string {
  const words = new Set<string>()
  for (const text of texts) for (const [word] of fold(text).matchAll(/[\p{L}\p{N}]+/gu)) words.add(word)
  return [...words].join(' ')
}

/** Returns the words of both, each once. */
export function joinedWords(one: string, other: string): string {
  const words = new Set(one.split(' '))
  const more = other.split(' ').filter((word) => word !== '' && !words.has(word))
  return [one, ...more].filter((part) => part !== '').join(' ')
}

/** Returns a test for the texts that contain every word of a query, also as parts of words. */
export function matcher(query: string): (words: string) => boolean {
  const parts = partsOf(query)
  return (words) => parts.every((part) => words.includes(part))
}

/** Returns the folded words of a query. */
export function partsOf(query: string): string[] {
  return [...fold(query).matchAll(/[\p{L}\p{N}]+/gu)].map(([part]) => part)
}

/** Returns the text in lower case without accents, so that "Zurich" finds "Zürich". */
export function fold(text: string): string {
  return text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase()
}
