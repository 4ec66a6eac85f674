/** A transcript as the page shows it, made from the server's answer in either of its two forms. */
export interface Word {
  readonly text: string
  /** Text between this word and the previous one of its turn. */
  readonly space: string
  readonly start: number
  readonly end: number
  /** Confidence of the model, 0 to 1. Undefined if not reported. */
  readonly score: number | undefined
}

/** Uninterrupted speech of one speaker, or a segment if speakers are not labelled. Times in seconds. */
export interface Turn {
  /** Label such as `SPEAKER_00`. */
  readonly speaker: string | undefined
  readonly start: number
  readonly end: number
  readonly words: readonly Word[]
}

export interface Transcript {
  readonly durationSeconds: number
  readonly language: string
  /** Speakers in order of their first turn. Empty if speakers are not labelled. */
  readonly speakers: readonly string[]
  readonly turns: readonly Turn[]
  /** True if the model reports confidence for words. */
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

/** Answer in the form `verbose_json` with words. `speakers` and `speaker_segments` exist if speakers are labelled. */
export interface TranscriptionAnswer {
  readonly task?: 'transcribe' | 'translate'
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
    // Models without confidence report 0 for each word.
    hasScores: turns.some((turn) => turn.words.some(({ score = 0 }) => score > 0)),
  }
}

/** Assigns each word to the last segment that begins no later than the word. */
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

/** Adds the separators that the text has between words: empty in scripts without spaces. */
function withSpaces(text: string, words: readonly WireWord[]): Word[] {
  let from = 0
  return words.map(({ word, start, end, score }, index) => {
    const at = text.indexOf(word, from)
    const space = at === -1 ? ' ' : text.slice(from, at)
    if (at !== -1) from = at + word.length
    return { text: word, space: index === 0 ? '' : space, start, end, score }
  })
}

/**
 * Returns the index of the word at a time: the last one that has begun. Undefined before the first. `words` are in
 * order.
 */
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
