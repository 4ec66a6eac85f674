/** A transcript as the page shows it, made from the server's answer in either of its two forms. */
export interface Word {
  readonly text: string
  /** What stands between it and the word before it in its turn. */
  readonly space: string
  readonly start: number
  readonly end: number
  /** How sure the model is, 0 to 1. */
  readonly score: number | undefined
}

/** What one speaker says without a break; where speakers are not told apart, a stretch of speech. Times in seconds. */
export interface Turn {
  /** As in `SPEAKER_00`. */
  readonly speaker: string | undefined
  readonly start: number
  readonly end: number
  readonly words: readonly Word[]
}

export interface Transcript {
  readonly durationSeconds: number
  readonly language: string
  /** In the order in which they are first heard; none where they are not told apart. */
  readonly speakers: readonly string[]
  readonly turns: readonly Turn[]
  /** The model says how sure it is of words. */
  readonly hasScores: boolean
}

interface WireWord {
  readonly word: string
  readonly start: number
  readonly end: number
  readonly score?: number
}

interface WireStretch {
  readonly start: number
  readonly end: number
  readonly text: string
}

/** The form `verbose_json`, with words; `speakers` and `speaker_segments` are there where speakers are told apart. */
export interface TranscriptionAnswer {
  readonly text: string
  readonly language: string
  readonly duration: number
  readonly speakers?: readonly string[]
  readonly speaker_segments?: readonly (WireStretch & {
    readonly speaker_id: string
    readonly words: readonly WireWord[]
  })[]
  readonly segments?: readonly WireStretch[]
  readonly words?: readonly WireWord[]
}

export function toTranscript(answer: TranscriptionAnswer): Transcript {
  const { speaker_segments: spoken, segments = [], words = [] } = answer
  const turns =
    spoken?.map((turn) => toTurn(turn, turn.words, turn.speaker_id)) ??
    wordsBySegment(segments, words).map(([segment, own]) => toTurn(segment, own, undefined))
  return {
    durationSeconds: answer.duration,
    language: answer.language,
    speakers: answer.speakers ?? [],
    turns,
    // Models that do not tell have 0 for each.
    hasScores: turns.some((turn) => turn.words.some(({ score = 0 }) => score > 0)),
  }
}

/** Words belong to the last segment that has begun when they begin. */
function wordsBySegment(
  segments: readonly WireStretch[],
  words: readonly WireWord[],
): [segment: WireStretch, words: WireWord[]][] {
  const grouped = segments.map((segment): [WireStretch, WireWord[]] => [segment, []])
  let index = 0
  for (const word of words) {
    while ((segments[index + 1]?.start ?? Number.POSITIVE_INFINITY) <= word.start) index += 1
    grouped[index]?.[1].push(word)
  }
  return grouped
}

function toTurn(stretch: WireStretch, words: readonly WireWord[], speaker: string | undefined): Turn {
  const { start, end, text } = stretch
  const known = words.length > 0 ? words : [{ word: text, start, end }]
  return { speaker, start, end, words: withSpaces(text, known) }
}

/** The text says what stands between words: nothing, in scripts without spaces. */
function withSpaces(text: string, words: readonly WireWord[]): Word[] {
  let from = 0
  return words.map(({ word, start, end, score }, index) => {
    const at = text.indexOf(word, from)
    const space = at === -1 ? ' ' : text.slice(from, at)
    if (at !== -1) from = at + word.length
    return { text: word, space: index === 0 ? '' : space, start, end, score }
  })
}

/** The word that is heard at a time: the last one that has begun. Undefined before the first. `words` are in order. */
export function wordAt(words: readonly Pick<Word, 'start'>[], seconds: number): number | undefined {
  let [low, high] = [0, words.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((words[middle]?.start ?? 0) <= seconds) low = middle + 1
    else high = middle
  }
  return low === 0 ? undefined : low - 1
}

export function textOf(words: readonly Word[]): string {
  return words.map(({ text, space }, index) => (index === 0 ? '' : space) + text).join('')
}

/** 0:41, 12:05, 1:02:03. */
export function positionText(seconds: number): string {
  const whole = Math.max(0, Math.floor(seconds))
  const [hours, minutes, rest] = [Math.floor(whole / 3_600), Math.floor(whole / 60) % 60, whole % 60]
  const tail = String(rest).padStart(2, '0')
  return hours === 0 ? `${minutes}:${tail}` : `${hours}:${String(minutes).padStart(2, '0')}:${tail}`
}
