import { spaceBetween } from '../../core/spaceless.ts'
import type { SpeakerTurn, TranscriptSegment, TranscriptToken } from '../../core/speech.ts'
import type { WorkEvent } from '../../core/work.ts'

/** Collected events of one transcription. */
export class Transcript {
  readonly segments: TranscriptSegment[] = []
  /** Undefined if speakers are not labelled. */
  turns: readonly SpeakerTurn[] | undefined
  /** ISO 639-1 code, or `und` for an undetermined language. */
  language: string
  durationSeconds = 0

  /** `language` is the client's declaration. */
  constructor(language = 'und') {
    this.language = language
  }

  push(event: WorkEvent<'transcribe'>): void {
    if (event.type === 'segment') this.segments.push(event)
    else if (event.type === 'turns') this.turns = event.turns
    else if (event.type === 'language') this.language = event.language
    else if (event.type === 'finish') this.durationSeconds = event.usage.audioMs / 1000
  }

  /** Tokens of all segments, if they were requested. */
  get tokens(): TranscriptToken[] {
    return this.segments.flatMap(({ tokens = [] }) => tokens)
  }

  get text(): string {
    return joinTexts(this.segments.map(({ text }) => text))
  }

  /** Charged usage in whole seconds. */
  get usage(): object {
    return { type: 'duration', seconds: Math.ceil(this.durationSeconds) }
  }
}

/** Returns the texts joined into one. */
export function joinTexts(texts: readonly string[]): string {
  return texts.map((text, index) => spaceBetween(texts[index - 1] ?? '', text) + text).join('')
}
