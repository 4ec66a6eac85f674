/** Places at which the words of a search stand in texts. */
import { type ExchangeRecord, textsOf } from './records.ts'
import { fold, partsOf, wordsOf } from './words.ts'

/** Piece of an excerpt. Marked pieces are words of the search. */
export interface ExcerptPart {
  readonly text: string
  readonly isMarked: boolean
}

const charactersBefore = 30
const maximumCharacters = 160

/** Returns the exchange with most of the words of a query, the newest of several. Undefined if there is none. */
export function bestHit(exchanges: readonly ExchangeRecord[], query: string): ExchangeRecord | undefined {
  const parts = partsOf(query)
  let best: ExchangeRecord | undefined
  let bestCount = 0
  for (const exchange of [...exchanges].sort((one, other) => other.askedAtMs - one.askedAtMs)) {
    const count = countOf(textsOf(exchange), parts)
    if (count > bestCount) [best, bestCount] = [exchange, count]
  }
  return best
}

/** Returns the surroundings of the first hit in the text with most of the words. Empty if no text has any. */
export function excerptOf(texts: readonly string[], query: string): ExcerptPart[] {
  const parts = partsOf(query)
  const [text = ''] = [...texts].sort((one, other) => countOf([other], parts) - countOf([one], parts))
  const first = rangesIn(text, parts).next().value
  if (first === undefined) return []
  const from = wordStart(text, Math.max(0, first[0] - charactersBefore))
  const cut = text.slice(from, from + maximumCharacters)
  const pieces: ExcerptPart[] = from > 0 ? [{ text: '… ', isMarked: false }] : []
  let end = 0
  for (const [start, next] of rangesIn(cut, parts)) {
    pieces.push({ text: cut.slice(end, start), isMarked: false }, { text: cut.slice(start, next), isMarked: true })
    end = next
  }
  pieces.push({ text: cut.slice(end), isMarked: false })
  return pieces
    .map((piece) => ({ ...piece, text: piece.text.replace(/\s+/g, ' ') }))
    .filter((piece) => piece.text !== '')
}

/** Yields the places of words that contain a part, in order: the part, or the word if folding changes its length. */
export function* rangesIn(text: string, parts: readonly string[]): Generator<readonly [start: number, end: number]> {
  for (const { 0: word, index } of text.matchAll(/[\p{L}\p{N}\p{M}]+/gu)) {
    const folded = fold(word)
    const part = parts.find((one) => folded.includes(one))
    if (part === undefined) continue
    const at = folded.length === word.length ? folded.indexOf(part) : 0
    const length = folded.length === word.length ? part.length : word.length
    yield [index + at, index + at + length]
  }
}

function countOf(texts: readonly string[], parts: readonly string[]): number {
  const words = wordsOf(texts)
  return parts.filter((part) => words.includes(part)).length
}

/** Returns the place after the next blank, if that is near: an excerpt does not begin within a word. */
function wordStart(text: string, from: number): number {
  if (from === 0) return 0
  const blank = text.slice(from, from + charactersBefore).search(/\s/)
  return blank < 0 ? from : from + blank + 1
}
