/** What differs between models that hear or speak. All of it is data: no code knows a model by name. */

/** Which recogniser reads the files of a model that transcribes. */
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

export interface TranscriberSettings {
  readonly kind: TranscriberKind
  /** ISO 639-1 where that has a code, else 639-3: what it understands. Absent: it is not known. */
  readonly languages?: readonly string[] | undefined
}

/** Of models that label speakers. */
export interface DiarizerSettings {
  /** Distance of two clusters' mean voices, as vectors of length 1, from which on they are two speakers; absent: the engine's own. */
  readonly threshold?: number | undefined
}

/** Which synthesizer reads the files of a model that speaks. */
export const synthesizerKinds = ['vits', 'kokoro', 'matcha', 'supertonic'] as const

export type SynthesizerKind = (typeof synthesizerKinds)[number]

export interface SynthesizerSettings {
  readonly kind: SynthesizerKind
  /** At least one. Together they have all `commonVoices`. */
  readonly voices: readonly Voice[]
}

export interface Voice {
  /** The model's own name of it. */
  readonly name: string
  /** The speaker's number in the model. */
  readonly speaker: number
  /** Other names, `commonVoices` among them. */
  readonly aliases: readonly string[]
  /** In which the voice reads, as the model calls it; absent: the model has one language. */
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

/** The voice of a name or alias in any case; undefined where there is none. */
export function findVoice({ voices }: SynthesizerSettings, name: string): Voice | undefined {
  const wanted = name.toLowerCase()
  return voices.find((voice) => namesOfVoice(voice).some((each) => each.toLowerCase() === wanted))
}

export function namesOfVoice({ name, aliases }: Voice): readonly string[] {
  return [name, ...aliases]
}
