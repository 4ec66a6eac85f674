/** Settings of speech models. All of them are data: no code knows a model by name. */

/** Recognisers, which read the files of transcription models. */
export const transcriberKinds = [
  'whisper',
  'transducer',
  'nemo-transducer',
  'nemo-ctc',
  'zipformer-ctc',
  'sense-voice',
  'moonshine',
] as const

export type TranscriberKind = (typeof transcriberKinds)[number]

/** Kinds that report probabilities of their tokens, and can prefer words that the client names. */
export const transducerKinds: readonly TranscriberKind[] = ['transducer', 'nemo-transducer']

export interface TranscriberSettings {
  readonly kind: TranscriberKind
  /** Supported languages in ISO 639-1, else 639-3. Absent if unknown. */
  readonly languages?: readonly string[] | undefined
}

/** Settings of models that label speakers. */
export interface DiarizerSettings {
  /**
   * Distance between the mean voices of two clusters, as vectors of length 1, above which they count as two speakers.
   * Defaults to the engine's.
   */
  readonly threshold?: number | undefined
}

/** Synthesizers, which read the files of speech models. */
export const synthesizerKinds = ['vits', 'kokoro', 'matcha', 'supertonic'] as const

export type SynthesizerKind = (typeof synthesizerKinds)[number]

export interface SynthesizerSettings {
  readonly kind: SynthesizerKind
  /** Voices of the model, at least one. Together they have all `commonVoices` as names or aliases. */
  readonly voices: readonly Voice[]
}

export interface Voice {
  /** Name that the model gives the voice. */
  readonly name: string
  /** Number of the speaker in the model. */
  readonly speaker: number
  /** Other names, `commonVoices` among them. */
  readonly aliases: readonly string[]
  /** Language in the model's own terms. Absent if the model has only one. */
  readonly language?: string | undefined
}

/** Names of voices that clients use with any model. */
export const commonVoices: readonly string[] = [
  'alloy',
  'ash',
  'ballad',
  'coral',
  'echo',
  'fable',
  'onyx',
  'nova',
  'sage',
  'shimmer',
  'verse',
  'marin',
  'cedar',
]

/** Returns the voice of a name or alias in any case; undefined if there is none. */
export function findVoice({ voices }: SynthesizerSettings, name: string): Voice | undefined {
  const wanted = name.toLowerCase()
  return voices.find((voice) => namesOfVoice(voice).some((each) => each.toLowerCase() === wanted))
}

export function namesOfVoice({ name, aliases }: Voice): readonly string[] {
  return [name, ...aliases]
}
