/**
 * Words of a chunk with their times, from a recogniser's output. Pure. Times are seconds from the chunk's beginning.
 */
import { spacelessLetter } from '../../../core/spaceless.ts'
import type { TranscriptToken } from '../../../core/speech.ts'

export interface TimedWord {
  readonly text: string
  readonly startSeconds: number
  readonly endSeconds: number
  /** Mean logarithm of its tokens' probabilities. Absent if the model does not report them. */
  readonly logProbability?: number | undefined
  /** Its tokens, with those of the space before it. Absent if the model does not score them. */
  readonly tokens?: readonly TranscriptToken[] | undefined
  /** True if nothing separates it from the previous word, as in scripts without spaces. */
  readonly isGlued: boolean
}

export interface Span {
  readonly startSeconds: number
  readonly endSeconds: number
}

export interface Recognized {
  readonly text: string
  /** Pieces of the text. The first piece of a word begins with a space. */
  readonly tokens: readonly string[]
  /** Start of each token. Empty if the model does not report it. */
  readonly timestamps: readonly number[]
  /** Length of each token. Empty if the model does not report it. */
  readonly durations: readonly number[]
  readonly logProbabilities: readonly number[]
}

/** Marks that attach to the preceding letter. */
const signs = /^[\p{P}\p{S}\p{M}]+$/u
/** Special tokens of models for languages and events. */
const mark = /<\|[^|]*\|>|<unk>/g

/** Longest last token of a word. A token's time is only its start. */
const longestTokenSeconds = 0.3
/** Time before speech at which a word still belongs to it. */
const earliestSeconds = 0.5
/** Longest pause after which a separate space token belongs to the next word. */
const spaceSeconds = 0.2
/** Least length of a word. */
const frameSeconds = 0.04

/**
 * Returns the words. `speech` lists the speech in the chunk in order. Words without times are spread over it by their
 * length.
 */
export function wordsOf(recognized: Recognized, speech: readonly Span[]): TimedWord[] {
  return timedWords(recognized, speech) ?? spreadWords(plainText(recognized.text), speech)
}

export function plainText(text: string): string {
  return text
    .replaceAll(mark, ' ')
    .replaceAll(/[\s▁]+/g, ' ')
    .trim()
}

/**
 * Returns the words; undefined if the tokens have no times, or differ from the text: pieces of characters, or rewritten
 * numbers.
 */
function timedWords({ text, tokens, timestamps, durations, logProbabilities }: Recognized, speech: readonly Span[]) {
  if (timestamps.length < tokens.length) return undefined
  const letters = tokens.map((token) => withoutSpaces(plainText(token)))
  if (letters.join('') !== withoutSpaces(plainText(text))) return undefined
  const tokenAt = letters.flatMap((each, token) => Array<number>(each.length).fill(token))
  let done = 0
  const words = splitWords(plainText(text)).map((word) => {
    const first = tokenAt[done] ?? 0
    done += word.text.length
    const letterSeconds = timestamps[first] ?? 0
    const spaceAt = letters[first - 1] === '' ? timestamps[first - 1] : undefined
    const isJoined = spaceAt !== undefined && letterSeconds - spaceAt <= spaceSeconds
    return { ...word, first, last: tokenAt[done - 1] ?? first, toldSeconds: isJoined ? spaceAt : letterSeconds }
  })
  return words.map(({ first, last, toldSeconds, ...word }, index): TimedWord => {
    const nextSeconds = words[index + 1]?.toldSeconds ?? Number.POSITIVE_INFINITY
    const startSeconds = Math.max(toldSeconds, Math.min(intoSpeech(toldSeconds, speech), nextSeconds - frameSeconds))
    const lastSeconds = Math.max(startSeconds, timestamps[last] ?? 0)
    const ownSeconds = durations[last] ?? 0
    const spokenUntil = speech.find(({ endSeconds }) => endSeconds > lastSeconds)?.endSeconds ?? lastSeconds
    const endSeconds =
      ownSeconds > 0 ? lastSeconds + ownSeconds : Math.min(lastSeconds + longestTokenSeconds, spokenUntil)
    const logs = logProbabilities.slice(first, last + 1)
    const after = (words[index - 1]?.last ?? -1) + 1
    return {
      ...word,
      startSeconds,
      endSeconds: Math.max(
        startSeconds + frameSeconds,
        Math.min(nextSeconds, Math.max(endSeconds, lastSeconds + frameSeconds)),
      ),
      logProbability: logs.length > 0 ? logs.reduce((sum, each) => sum + each, 0) / logs.length : undefined,
      ...(logs.length > 0 && { tokens: scored(tokens, logProbabilities, after, last + 1) }),
    }
  })
}

/** Returns tokens with their scores. Preferred words have better ones than probabilities can be. */
export function scored(
  tokens: readonly string[],
  logProbabilities: readonly number[],
  start: number,
  end: number,
): TranscriptToken[] {
  return tokens.slice(start, end).map((text, index) => ({
    text: text.replaceAll('▁', ' '),
    logProbability: Math.min(0, logProbabilities[start + index] ?? 0),
  }))
}

/** Moves a time into speech: recognisers tend to report the begin too early after silence. */
function intoSpeech(seconds: number, speech: readonly Span[]): number {
  const next = speech.find(({ endSeconds }) => endSeconds > seconds)
  if (next === undefined || next.startSeconds - seconds > earliestSeconds) return seconds
  return Math.max(seconds, next.startSeconds)
}

function withoutSpaces(text: string): string {
  return text.replaceAll(/\s/g, '')
}

/** Spreads the words over the speech in proportion to their characters. */
export function spreadWords(text: string, speech: readonly Span[]): TimedWord[] {
  const words = splitWords(text)
  const characters = words.reduce((sum, word) => sum + word.text.length, 0)
  const spokenSeconds = speech.reduce((sum, span) => sum + span.endSeconds - span.startSeconds, 0)
  let done = 0
  return words.map((word) => {
    const startSeconds = spokenAt((done / characters) * spokenSeconds, speech, 'start')
    done += word.text.length
    const endSeconds = spokenAt((done / characters) * spokenSeconds, speech, 'end')
    return { ...word, startSeconds, endSeconds }
  })
}

/** Splits text into words. In scripts without spaces, each letter is a word. */
function splitWords(text: string): { readonly text: string; readonly isGlued: boolean }[] {
  const words: { text: string; isGlued: boolean }[] = []
  for (const part of text.split(' ')) {
    const first = words.length
    for (const character of part) {
      const before = words.length > first ? words.at(-1) : undefined
      if (before === undefined) words.push({ text: character, isGlued: false })
      else if (isParted(before.text, character)) words.push({ text: character, isGlued: true })
      else before.text += character
    }
  }
  return words
}

function isParted(before: string, character: string): boolean {
  if (signs.test(character) || signs.test(before)) return false
  return spacelessLetter.test(character) || spacelessLetter.test(before)
}

/**
 * Returns the time at which this much has been spoken. At the boundary of two stretches, returns the end of the first
 * or the start of the second.
 */
function spokenAt(spokenSeconds: number, speech: readonly Span[], which: 'start' | 'end'): number {
  let left = spokenSeconds
  for (const { startSeconds, endSeconds } of speech) {
    const length = endSeconds - startSeconds
    if (which === 'start' ? left < length : left <= length) return startSeconds + left
    left -= length
  }
  return speech.at(-1)?.endSeconds ?? 0
}
