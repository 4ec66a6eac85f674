/** Audio that becomes text or speakers' turns, and text that becomes audio. */

/** Samples a second of all audio that engines read. */
export const audioSampleRateHz = 16_000

/** A recording in the spool: 16-bit little-endian samples, one channel, `audioSampleRateHz`. It is deleted with its request. */
export interface AudioFile {
  readonly path: string
  readonly sampleCount: number
}

/** How long a recording is, in milliseconds, the last one counted whole: what is paid for. */
export function audioMsOf({ sampleCount }: Pick<AudioFile, 'sampleCount'>): number {
  return Math.ceil((sampleCount * 1000) / audioSampleRateHz)
}

/** How many characters (Unicode code points) a text has: what is paid for. */
export function charactersOf(input: string): number {
  let count = 0
  for (const _ of input) count++
  return count
}

/** How many speakers there are, as far as the client knows; both at least 1. */
export interface SpeakerHint {
  readonly minimumSpeakers?: number | undefined
  readonly maximumSpeakers?: number | undefined
}

export interface TranscribeRequest {
  readonly audio: AudioFile
  /** ISO 639-1; absent: the model detects it. */
  readonly language?: string | undefined
  /** Names and spellings that the audio may contain. Models that cannot use it ignore it. */
  readonly prompt?: string | undefined
  /** The segments need the times of their words. */
  readonly wantsWords: boolean
  /** Who said what is wanted too. */
  readonly speakers?: SpeakerHint | undefined
}

export interface DiarizeRequest extends SpeakerHint {
  readonly audio: AudioFile
}

export interface TranscriptWord {
  /** Without spaces around it. */
  readonly text: string
  readonly startSeconds: number
  readonly endSeconds: number
  /** How sure the model is, 0 to 1; absent where it does not tell. */
  readonly score?: number | undefined
  /** True where no space stands between it and the word before it in the text: scripts without spaces. */
  readonly isGlued?: boolean | undefined
}

/** A stretch of speech. Segments come in the order of time and do not overlap. */
export interface TranscriptSegment {
  readonly type: 'segment'
  /** Without spaces around it, never empty. */
  readonly text: string
  readonly startSeconds: number
  readonly endSeconds: number
  /** All words of the text, in order; present where they are wanted. */
  readonly words?: readonly TranscriptWord[] | undefined
  readonly averageLogProbability?: number | undefined
}

/** The language that is spoken, ISO 639-1, once before `finish`. Absent where neither the client nor the model says it. */
export interface SpokenLanguage {
  readonly type: 'language'
  readonly language: string
}

/** One speaker speaks. */
export interface SpeakerTurn {
  /** 0 for the first speaker that is heard, 1 for the second, and so on. */
  readonly speaker: number
  readonly startSeconds: number
  readonly endSeconds: number
}

/** Who speaks when, in the order of time; no two turns overlap. */
export interface SpeakerTurns {
  readonly type: 'turns'
  readonly turns: readonly SpeakerTurn[]
}

/** Samples a second of all spoken audio: 16-bit, one channel. */
export const spokenSampleRateHz = 24_000

export const audioFormats = ['mp3', 'wav', 'opus', 'flac', 'pcm'] as const

export type AudioFormat = (typeof audioFormats)[number]

export interface SpeakRequest {
  readonly input: string
  /** A name of the model's own or of the common ones, in any case. */
  readonly voice: string
  /** 1 is the model's own speed. */
  readonly speed: number
  readonly format: AudioFormat
}

/** The next bytes of the answer, encoded. Of `wav`: bare samples, whose header is made when their number is known. */
export interface SpokenAudio {
  readonly type: 'audio'
  readonly bytes: Uint8Array
}
