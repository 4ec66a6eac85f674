export interface TranscriptAbilities {
  /** Segments with their times, in `verbose_json`; not of all models there. Otherwise a transcript is one segment. */
  readonly segments: boolean
  /** Times of words. */
  readonly words: boolean
  /** Who says what. */
  readonly speakers: boolean
  /** Names and spellings that the audio may contain. */
  readonly prompt: boolean
}

const usual: TranscriptAbilities = { segments: true, words: false, speakers: false, prompt: true }

export const transcriptAbilities = {
  usual,
  sglang: { ...usual, prompt: false },
  // Its prompt would take the place of the instruction to transcribe.
  llamacpp: { ...usual, segments: false, prompt: false },
  openai: { ...usual, words: true },
  inferd: { segments: true, words: true, speakers: true, prompt: true },
} satisfies Record<string, TranscriptAbilities>

export interface SpeechAbilities {
  /** The format in which samples are asked for. A WAV file says its rate; bare samples come at once, at 24 kHz. */
  readonly samples: 'pcm' | 'wav'
}

export const speechAbilities = {
  usual: { samples: 'wav' },
  bare: { samples: 'pcm' },
} satisfies Record<string, SpeechAbilities>
