import { spaceBetween } from '../../core/spaceless.ts'
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

/** As one text. */
export function joinTexts(texts: readonly string[]): string {
  return texts.map((text, index) => spaceBetween(texts[index - 1] ?? '', text) + text).join('')
}
