import type { UpstreamFlavor } from '../../../core/upstream.ts'

export interface TranscriptAbilities {
  /**
   * True if it returns segments with times, in `verbose_json`, at least for some models. Otherwise a transcript is one
   * segment.
   */
  readonly segments: boolean
  /** True if it returns the times of words. */
  readonly words: boolean
  /** True if it labels speakers. */
  readonly speakers: boolean
  /** True if it takes a prompt with names and spellings that the audio may contain. */
  readonly prompt: boolean
  /** True if it takes keywords apart from the prompt. */
  readonly keywords: boolean
  /** True if it takes rules by which speech is found. */
  readonly detection: boolean
  /** True if it translates into English, at least by some models. */
  readonly translations: boolean
}

const usual: TranscriptAbilities = {
  segments: true,
  words: false,
  speakers: false,
  prompt: true,
  keywords: false,
  detection: false,
  translations: false,
}

export const transcriptAbilities: Readonly<Record<UpstreamFlavor, TranscriptAbilities>> = {
  vllm: { ...usual, translations: true },
  sglang: { ...usual, prompt: false },
  trtllm: usual,
  // llama.cpp's prompt would replace the instruction to transcribe.
  llamacpp: { ...usual, segments: false, prompt: false },
  openai: { ...usual, words: true, translations: true },
  inferd: {
    segments: true,
    words: true,
    speakers: true,
    prompt: true,
    keywords: true,
    detection: true,
    translations: true,
  },
}

/** Format in which samples of speech are requested. A WAV file states its rate; raw samples come faster, at 24 kHz. */
export const sampleFormats: Readonly<Record<UpstreamFlavor, 'pcm' | 'wav'>> = {
  vllm: 'wav',
  sglang: 'wav',
  trtllm: 'wav',
  llamacpp: 'wav',
  openai: 'pcm',
  inferd: 'pcm',
}
