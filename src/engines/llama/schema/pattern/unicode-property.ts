import type { CharSet } from './char-set.ts'

/** Every character that is no half of a pair, in order. Made once, when the first pattern asks for a property. */
let everyCharacter = ''
const known = new Map<string, CharSet>()

/** Returns the characters that a Unicode property escape such as `\p{L}` stands for. */
export function propertySet(written: string): CharSet {
  const found = known.get(written)
  if (found !== undefined) return found
  if (everyCharacter === '') everyCharacter = charactersOf(0, 0xd7ff) + charactersOf(0xe000, 0x10ffff)
  const set: [number, number][] = []
  for (const [run] of everyCharacter.matchAll(new RegExp(`${written}+`, 'gu'))) {
    // A run goes over the gap of the halves of pairs, which JSON text does not hold.
    const last = run.codePointAt(run.length - 2) ?? 0
    set.push([run.codePointAt(0) ?? 0, last > 0xffff ? last : run.charCodeAt(run.length - 1)])
  }
  known.set(written, set)
  return set
}

function charactersOf(from: number, to: number): string {
  const pieces: string[] = []
  for (let code = from; code <= to; code++) pieces.push(String.fromCodePoint(code))
  return pieces.join('')
}
