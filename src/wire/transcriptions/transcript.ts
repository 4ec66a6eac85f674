import type { SpeakerTurn, TranscriptSegment } from '../../core/speech.ts'
import type { WorkEvent } from '../../core/work.ts'

/** What the events of one transcription came to. */
export class Transcript {
  readonly segments: TranscriptSegment[] = []
  /** Undefined where speakers are not told apart. */
  turns: readonly SpeakerTurn[] | undefined
  /** ISO 639-1, or ISO 639's word for a language that nobody knows. */
  language: string
  durationSeconds = 0

  /** `language`: what the client says that it is. */
  constructor(language = 'und') {
    this.language = language
  }

  push(event: WorkEvent<'transcribe'>): void {
    if (event.type === 'segment') this.segments.push(event)
    else if (event.type === 'turns') this.turns = event.turns
    else if (event.type === 'language') this.language = event.language
    else if (event.type === 'finish') this.durationSeconds = event.usage.audioMs / 1000
  }

  get text(): string {
    return joinTexts(this.segments.map(({ text }) => text))
  }

  /** As it is charged: whole seconds. */
  get usage(): object {
    return { type: 'duration', seconds: Math.ceil(this.durationSeconds) }
  }
}

/** Letters of scripts that put no spaces between words. */
const unspaced =
  '[\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\p{Script=Thai}\\p{Script=Lao}\\p{Script=Khmer}\\p{Script=Myanmar}、。，！？：；「」『』（）]'
const endsUnspaced = new RegExp(`${unspaced}$`, 'u')
const beginsUnspaced = new RegExp(`^${unspaced}`, 'u')

/** What stands between two texts: a space, unless both are of a script that has none. */
export function spaceBetween(before: string, after: string): string {
  if (before === '' || after === '') return ''
  return endsUnspaced.test(before) && beginsUnspaced.test(after) ? '' : ' '
}

export function joinTexts(texts: readonly string[]): string {
  return texts.map((text, index) => spaceBetween(texts[index - 1] ?? '', text) + text).join('')
}
