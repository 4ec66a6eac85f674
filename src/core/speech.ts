/** Work on speech: audio to text or speakers' turns, and text to audio. */

/** Sample rate of all audio that engines read. */
export const audioSampleRateHz = 16_000

/**
 * Recording in the spool: 16-bit little-endian samples, one channel, `audioSampleRateHz`. It is deleted with its
 * request.
 */
export interface AudioFile {
  readonly path: string
  readonly sampleCount: number
}

/** Returns the charged length of a recording in milliseconds, rounded up. */
export function audioMsOf({ sampleCount }: Pick<AudioFile, 'sampleCount'>): number {
  return Math.ceil((sampleCount * 1000) / audioSampleRateHz)
}

/** Returns the charged characters (Unicode code points) of a text. */
export function charactersOf(input: string): number {
  let count = 0
  for (const _ of input) count++
  return count
}

/** Range of the number of speakers that the client expects. Both ends are at least 1. */
export interface SpeakerHint {
  readonly minimumSpeakers?: number | undefined
  readonly maximumSpeakers?: number | undefined
}

/** Rules by which speech is found in a recording. Absent ones are the engine's. */
export interface DetectionRules {
  /** Least probability of speech, 0 to 1. */
  readonly threshold?: number | undefined
  /** Silence that ends a stretch of speech. */
  readonly silenceSeconds?: number | undefined
  /** Sound kept before speech. */
  readonly paddingSeconds?: number | undefined
}

export interface TranscribeRequest {
  readonly audio: AudioFile
  /** ISO 639-1 code. Absent lets the model detect it. */
  readonly language?: string | undefined
  /** True to write English, whatever language is spoken. */
  readonly translates?: boolean | undefined
  /** Names and spellings that the audio may contain. Models that cannot use it ignore it. */
  readonly prompt?: string | undefined
  /** Words and phrases that the audio may contain, for the same models. */
  readonly keywords?: readonly string[] | undefined
  readonly detection?: DetectionRules | undefined
  /** True if the segments need the model's tokens. */
  readonly wantsTokens?: boolean | undefined
  /** True if the segments need the times of their words. */
  readonly wantsWords: boolean
  /** Hint on speakers, and the field that requests them. Absent if they need not be labelled. */
  readonly speakers?: (SpeakerHint & { readonly param?: string | undefined }) | undefined
}

export interface DiarizeRequest extends SpeakerHint {
  readonly audio: AudioFile
}

export interface TranscriptWord {
  /** Text without surrounding spaces. */
  readonly text: string
  readonly startSeconds: number
  readonly endSeconds: number
  /** Confidence of the model, 0 to 1. Absent if not reported. */
  readonly score?: number | undefined
  /** True if no space separates it from the previous word, as in scripts without spaces. */
  readonly isGlued?: boolean | undefined
}

/** Piece of the text as the model wrote it. */
export interface TranscriptToken {
  /** Text with its surrounding spaces, or `<0xNN>` for a byte of a character. */
  readonly text: string
  readonly logProbability: number
}

/** Segment of speech. Segments are in order of time and do not overlap. */
export interface TranscriptSegment {
  readonly type: 'segment'
  /** Text without surrounding spaces, never empty. */
  readonly text: string
  readonly startSeconds: number
  readonly endSeconds: number
  /** All words of the text in order. Present if requested. */
  readonly words?: readonly TranscriptWord[] | undefined
  /** Tokens of the text in order. Present if requested. */
  readonly tokens?: readonly TranscriptToken[] | undefined
  readonly averageLogProbability?: number | undefined
}

/** Spoken language in ISO 639-1, sent once before `finish`. Not sent if neither client nor model tells it. */
export interface SpokenLanguage {
  readonly type: 'language'
  readonly language: string
}

/** Uninterrupted speech of one speaker. */
export interface SpeakerTurn {
  /** Number of the speaker in order of first speech, from 0. */
  readonly speaker: number
  readonly startSeconds: number
  readonly endSeconds: number
}

/** Turns of all speakers in order of time; no two overlap. */
export interface SpeakerTurns {
  readonly type: 'turns'
  readonly turns: readonly SpeakerTurn[]
}

/** Sample rate of all generated speech: 16-bit, one channel. */
export const spokenSampleRateHz = 24_000

export const audioFormats = ['mp3', 'wav', 'opus', 'flac', 'pcm'] as const

export type AudioFormat = (typeof audioFormats)[number]

export interface SpeakRequest {
  readonly input: string
  /** Name or alias of a voice, in any case. */
  readonly voice: string
  /** Speed, where 1 is the model's own. */
  readonly speed: number
  readonly format: AudioFormat
}

/** Next encoded bytes of the answer. `wav` has raw samples; their header is made once their number is known. */
export interface SpokenAudio {
  readonly type: 'audio'
  readonly bytes: Uint8Array
}
