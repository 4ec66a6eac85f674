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
}

const usual: TranscriptAbilities = { segments: true, words: false, speakers: false, prompt: true }

export const transcriptAbilities: Readonly<Record<UpstreamFlavor, TranscriptAbilities>> = {
  vllm: usual,
  sglang: { ...usual, prompt: false },
  trtllm: usual,
  // llama.cpp's prompt would replace the instruction to transcribe.
  llamacpp: { ...usual, segments: false, prompt: false },
  openai: { ...usual, words: true },
  inferd: { segments: true, words: true, speakers: true, prompt: true },
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
