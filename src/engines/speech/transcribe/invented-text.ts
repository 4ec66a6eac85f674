/** Text that recognisers make up: the same words over and over, and sentences where hardly anything was said. Pure. */

/** Words of a phrase that is looked for. */
const longestPhrase = 24
/** People repeat themselves too: a phrase is said at least so often, and all its repetitions have at least so many words. */
const leastTimes = 4
const leastWords = 12

/** Of words that repeat a phrase over and over, only the first time is left. */
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

/** The shortest phrase that repeats itself from here on. */
function loopAt(words: readonly string[], at: number): { readonly phrase: number; readonly times: number } | undefined {
  for (let phrase = 1; phrase <= longestPhrase; phrase++) {
    let end = at + phrase
    while (end < words.length && words[end] === words[end - phrase]) end++
    const times = Math.floor((end - at) / phrase)
    if (times >= leastTimes && times * phrase >= leastWords) return { phrase, times }
  }
  return undefined
}

/** Nobody speaks faster: auctioneers say 25 characters a second. */
const charactersPerSecond = 35

/** Whether somebody could have said this in that time. */
export function isSayable(text: string, spokenSeconds: number): boolean {
  return text.length <= 5 + spokenSeconds * charactersPerSecond
}
