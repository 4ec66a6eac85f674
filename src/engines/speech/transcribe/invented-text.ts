/** Removes text that recognisers invent: endless repetitions, and sentences where hardly anything was said. Pure. */

/** Words of the longest phrase searched for. */
const longestPhrase = 24
/** Least repetitions of a phrase, and words in all of them. People also repeat themselves. */
const leastTimes = 4
const leastWords = 12

/** Returns the words with endless repetitions of a phrase reduced to the first occurrence. */
export function withoutLoops<Word extends { readonly text: string }>(words: readonly Word[]): Word[] {
  const plain = words.map(({ text }) => text.toLowerCase().replaceAll(/[\p{P}\p{S}]/gu, ''))
  const kept: Word[] = []
  for (let at = 0; at < words.length; ) {
    const loop = loopAt(plain, at)
    const end = loop === undefined ? at + 1 : at + loop.phrase
    kept.push(...words.slice(at, end))
    at = loop === undefined ? end : at + loop.phrase * loop.times
  }
  return kept
}

/** Returns the shortest phrase that repeats from this word on. */
function loopAt(words: readonly string[], at: number): { readonly phrase: number; readonly times: number } | undefined {
  for (let phrase = 1; phrase <= longestPhrase; phrase++) {
    let end = at + phrase
    while (end < words.length && words[end] === words[end - phrase]) end++
    const times = Math.floor((end - at) / phrase)
    if (times >= leastTimes && times * phrase >= leastWords) return { phrase, times }
  }
  return undefined
}

/** Fastest speech, with a margin: auctioneers say 25 characters per second. */
const charactersPerSecond = 35

/** Returns whether the text could have been spoken in that time. */
export function isSayable(text: string, spokenSeconds: number): boolean {
  return text.length <= 5 + spokenSeconds * charactersPerSecond
}
