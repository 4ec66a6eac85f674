import type { UpstreamFlavor } from '../../../core/upstream.ts'

export interface TranscriptAbilities {
  /** Segments with their times, in `verbose_json`; not of all models there. Otherwise a transcript is one segment. */
  readonly segments: boolean
  /** Times of words. */
  readonly words: boolean
  /** True if it labels speakers. */
  readonly speakers: boolean
  /** Names and spellings that the audio may contain. */
  readonly prompt: boolean
}

const usual: TranscriptAbilities = { segments: true, words: false, speakers: false, prompt: true }

export const transcriptAbilities: Readonly<Record<UpstreamFlavor, TranscriptAbilities>> = {
  vllm: usual,
  sglang: { ...usual, prompt: false },
  trtllm: usual,
  // Its prompt would take the place of the instruction to transcribe.
  llamacpp: { ...usual, segments: false, prompt: false },
  openai: { ...usual, words: true },
  inferd: { segments: true, words: true, speakers: true, prompt: true },
}

/** The format in which samples of speech are asked for. A WAV file says its rate; bare samples come at once, at 24 kHz. */
export const sampleFormats: Readonly<Record<UpstreamFlavor, 'pcm' | 'wav'>> = {
  vllm: 'wav',
  sglang: 'wav',
  trtllm: 'wav',
  llamacpp: 'wav',
  openai: 'pcm',
  inferd: 'pcm',
}
