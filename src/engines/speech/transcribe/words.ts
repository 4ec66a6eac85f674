/** The words of a chunk with their times, from what a recogniser says of it. Pure. Times are seconds from the chunk's beginning. */

export interface TimedWord {
  readonly text: string
  readonly startSeconds: number
  readonly endSeconds: number
  /** Mean logarithm of its tokens' probabilities, where the model tells. */
  readonly logProbability?: number | undefined
  /** Nothing stands between it and the word before: scripts without spaces. */
  readonly isGlued: boolean
}

export interface Span {
  readonly startSeconds: number
  readonly endSeconds: number
}

export interface Recognized {
  readonly text: string
  /** Pieces of the text. Those that begin a word begin with a space. */
  readonly tokens: readonly string[]
  /** When each token begins; empty where the model does not tell. */
  readonly timestamps: readonly number[]
  /** How long each token is, where the model tells. */
  readonly durations: readonly number[]
  readonly logProbabilities: readonly number[]
}

/** Scripts whose words are not told apart by spaces: each character counts as a word. */
const spaceless =
  /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u
const punctuation = /^[\p{P}\p{S}]+$/u
/** Marks of models: languages, events. */
const mark = /<\|[^|]*\|>|<unk>/g

/** A last sound is at most so long: a token's time says when it begins. */
const longestTokenSeconds = 0.3
/** What begins so long before speech begins with it. */
const earliestSeconds = 0.5
/** Where a model tells no more. */
const frameSeconds = 0.04

/** `speech`: where in the chunk somebody speaks, in order. Words without times of their own are spread over it by their length. */
export function wordsOf(recognized: Recognized, speech: readonly Span[]): TimedWord[] {
  return timedWords(recognized, speech) ?? spreadWords(plainText(recognized.text), speech)
}

export function plainText(text: string): string {
  return text
    .replaceAll(mark, ' ')
    .replaceAll(/[\s▁]+/g, ' ')
    .trim()
}

interface Piece {
  text: string
  readonly first: number
  last: number
  isGlued: boolean
}

/** Undefined where the tokens have no times, or are not the text: pieces of characters, or rewritten numbers. */
function timedWords({ text, tokens, timestamps, durations, logProbabilities }: Recognized, speech: readonly Span[]) {
  if (tokens.length === 0 || timestamps.length < tokens.length) return undefined
  const pieces: Piece[] = []
  for (const [index, token] of tokens.entries()) {
    const plain = token.replaceAll(mark, '').replaceAll('▁', ' ')
    const letters = plain.trim()
    const before = pieces.at(-1)
    if (letters === '') {
      if (plain !== '' && before !== undefined) pieces.push({ text: '', first: index, last: index, isGlued: false })
      continue
    }
    const isNew = before === undefined || plain.startsWith(' ') || isSpaceless(letters, before.text)
    if (before !== undefined && (!isNew || before.text === '' || punctuation.test(letters))) {
      before.text += letters
      before.last = index
    } else pieces.push({ text: letters, first: index, last: index, isGlued: !plain.startsWith(' ') })
  }
  const words = pieces.filter((piece) => piece.text !== '')
  if (withoutSpaces(words.map((piece) => piece.text).join('')) !== withoutSpaces(plainText(text))) return undefined
  return words.map((piece, index): TimedWord => {
    const nextSeconds = timestamps[words[index + 1]?.first ?? -1] ?? Number.POSITIVE_INFINITY
    const toldSeconds = timestamps[piece.first] ?? 0
    const startSeconds = Math.max(toldSeconds, Math.min(intoSpeech(toldSeconds, speech), nextSeconds - frameSeconds))
    const lastSeconds = Math.max(startSeconds, timestamps[piece.last] ?? 0)
    const ownSeconds = durations[piece.last] ?? 0
    const spokenUntil = speech.find(({ endSeconds }) => endSeconds > lastSeconds)?.endSeconds ?? lastSeconds
    const endSeconds =
      ownSeconds > 0 ? lastSeconds + ownSeconds : Math.min(lastSeconds + longestTokenSeconds, spokenUntil)
    const logs = logProbabilities.slice(piece.first, piece.last + 1)
    return {
      text: piece.text,
      startSeconds,
      endSeconds: Math.max(
        startSeconds + frameSeconds,
        Math.min(nextSeconds, Math.max(endSeconds, lastSeconds + frameSeconds)),
      ),
      logProbability: logs.length > 0 ? logs.reduce((sum, each) => sum + each, 0) / logs.length : undefined,
      isGlued: index > 0 && piece.isGlued,
    }
  })
}

/** Recognisers tend to say too early that speech begins after silence. */
function intoSpeech(seconds: number, speech: readonly Span[]): number {
  const next = speech.find(({ endSeconds }) => endSeconds > seconds)
  if (next === undefined || next.startSeconds - seconds > earliestSeconds) return seconds
  return Math.max(seconds, next.startSeconds)
}

function isSpaceless(letters: string, before: string): boolean {
  if (punctuation.test(letters)) return false
  return spaceless.test(letters) || (before !== '' && spaceless.test(before))
}

function withoutSpaces(text: string): string {
  return text.replaceAll(/\s/g, '')
}

/** Each word takes the part of the time somebody speaks that its characters are of all characters. */
export function spreadWords(text: string, speech: readonly Span[]): TimedWord[] {
  const pieces = text.split(' ').flatMap(splitSpaceless)
  const characters = pieces.reduce((sum, piece) => sum + piece.text.length, 0)
  const spokenSeconds = speech.reduce((sum, span) => sum + span.endSeconds - span.startSeconds, 0)
  let done = 0
  return pieces.map(({ text: word, isGlued }) => {
    const startSeconds = spokenAt((done / characters) * spokenSeconds, speech, 'start')
    done += word.length
    const endSeconds = spokenAt((done / characters) * spokenSeconds, speech, 'end')
    return { text: word, startSeconds, endSeconds, isGlued }
  })
}

function splitSpaceless(word: string): { readonly text: string; readonly isGlued: boolean }[] {
  const pieces: { text: string; isGlued: boolean }[] = []
  for (const character of word) {
    const before = pieces.at(-1)
    if (before === undefined) pieces.push({ text: character, isGlued: false })
    else if (isSpaceless(character, before.text)) pieces.push({ text: character, isGlued: true })
    else before.text += character
  }
  return pieces
}

/** The moment at which so much has been spoken; between two stretches it is the end of the first, or the start of the second. */
function spokenAt(spokenSeconds: number, speech: readonly Span[], which: 'start' | 'end'): number {
  let left = spokenSeconds
  for (const { startSeconds, endSeconds } of speech) {
    const length = endSeconds - startSeconds
    if (which === 'start' ? left < length : left <= length) return startSeconds + left
    left -= length
  }
  return speech.at(-1)?.endSeconds ?? 0
}
