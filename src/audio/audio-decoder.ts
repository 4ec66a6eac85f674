import { type AudioFile, audioSampleRateHz } from '../core/speech.ts'
import type { Spool } from '../spool/spool.ts'
import { decodeBuiltIn } from './built-in/decode-built-in.ts'
import { openFileBytes } from './container/file-bytes.ts'
import { type IdentifiedAudio, identifyAudio } from './container/identify-audio.ts'
import { type PlainSamples, plainSamples, readPlainSamples } from './container/plain-samples.ts'
import { skippedShare } from './container/skipped-share.ts'
import { statedLengthSeconds } from './container/stated-length.ts'
import { DecoderTurns, type DecoderTurnsOptions } from './decoder-turns.ts'
import { decodeByFfmpeg } from './ffmpeg/decode-by-ffmpeg.ts'
import { findFfmpeg } from './ffmpeg/find-ffmpeg.ts'
import { invalidAudio } from './invalid-audio.ts'
import { DecodingTooLong } from './run-decoder.ts'

const bytesPerSample = 2
const bytesPerSecond = audioSampleRateHz * bytesPerSample
/**
 * Bytes per second of compressed audio. The size of a file gives its expected length by this, unless the file states a
 * longer one.
 */
const usualBytesPerSecond = 16_000
/**
 * Share of a file that a decoder may skip, such as trailing tags or a little damage. More would leave gaps in the
 * transcript.
 */
const skippedLimit = 0.4
const limitHours = 12
const limitBytes = limitHours * 3600 * bytesPerSecond

/** A recording in the engines' format. Dispose of it when its request ends: that deletes the file. */
interface DecodedAudio extends AudioFile, AsyncDisposable {}

export interface AudioDecoderOptions extends DecoderTurnsOptions {
  readonly spool: Pick<Spool, 'write'>
  /** Folders to search for `ffmpeg`. Defaults to this process's `PATH`. */
  readonly programPath?: string
  /** Returns the time limit of decoding a file of this size, in milliseconds. */
  readonly withinMs?: (sizeBytes: number) => number
}

interface DecodeRequest {
  readonly path: string
  /** Account of the request. Accounts take turns. */
  readonly accountId: string
  readonly signal: AbortSignal
  /** Admits a recording of this length in seconds, or refuses it by throwing. */
  readonly admit?: (seconds: number) => Promise<void> | void
}

interface Recording extends IdentifiedAudio {
  readonly path: string
  readonly sizeBytes: number
  readonly statedSeconds: number | undefined
  /** Samples that need no decoding. Undefined if there are none. */
  readonly plain: PlainSamples | undefined
}

/** Decodes recordings of any container into files of the spool. */
export class AudioDecoder {
  readonly #options: AudioDecoderOptions
  readonly #turns: DecoderTurns

  constructor(options: AudioDecoderOptions) {
    this.#options = options
    this.#turns = new DecoderTurns(options)
  }

  /**
   * Decodes a recording, or the readable part of a damaged one. Waits while others are decoded. Calls `admit` with the
   * length that the file states, if any, before anything is decoded, and then after each piece with the length so far,
   * since a file may lie. Throws ApiError 400 `invalid_audio` if the recording cannot be decoded, is empty or too long;
   * also errors of `Spool` and `admit`, and the signal's reason. Then the result is deleted.
   */
  async decode({ path, accountId, signal, admit }: DecodeRequest): Promise<DecodedAudio> {
    const recording = readRecording(path)
    const { sizeBytes, statedSeconds } = recording
    if (statedSeconds !== undefined) await admit?.(statedSeconds)
    const pieces = this.#turns.share((ended) => this.#pieces(recording, ended), {
      accountId,
      expectedSeconds: Math.max(statedSeconds ?? 0, sizeBytes / usualBytesPerSecond),
      statedSeconds,
      limitMs: (this.#options.withinMs ?? decodeWithinMs)(sizeBytes),
      signal,
    })
    try {
      const file = await this.#options.spool.write(admitted(pieces, admit), { accountId })
      return {
        path: file.path,
        sampleCount: Math.floor(file.sizeBytes / bytesPerSample),
        [Symbol.asyncDispose]: () => file[Symbol.asyncDispose](),
      }
    } catch (error) {
      signal.throwIfAborted()
      if (error instanceof DecodingTooLong) throw invalidAudio('decoding takes too long')
      throw error
    }
  }

  async *#pieces(recording: Recording, signal: AbortSignal): AsyncGenerator<Uint8Array> {
    if (recording.plain !== undefined) {
      yield* readPlainSamples(recording.path, recording.plain, signal)
      return
    }
    const program = findFfmpeg(this.#options.programPath)
    if (program !== undefined && (yield* decodeByFfmpeg(program, recording, signal))) return
    yield* decodeBuiltIn(recording, signal)
  }
}

function readRecording(path: string): Recording {
  using file = openFileBytes(path)
  if (file.sizeBytes === 0) throw invalidAudio('it is empty')
  const audio = identifyAudio(file)
  if (audio === undefined) throw invalidAudio('it is not a known kind of audio file')
  if (skippedShare(file, audio) > skippedLimit) throw invalidAudio('most of it is no part of one recording')
  const statedSeconds = statedLengthSeconds(file, audio)
  return { ...audio, path, sizeBytes: file.sizeBytes, statedSeconds, plain: plainSamples(file, audio) }
}

/**
 * Returns the time limit of decoding. A megabyte can hold twenty minutes of speech, which takes half a minute on a slow
 * machine. Decoding that never ends reaches the length limit long before.
 */
function decodeWithinMs(sizeBytes: number): number {
  return Math.min(60_000 + (sizeBytes / 1e6) * 30_000, 30 * 60_000)
}

/** Passes decoded audio on while its length is admitted. Throws `invalid_audio` if it is too long or empty. */
export async function* admitted(
  pieces: AsyncIterable<Uint8Array>,
  admit: DecodeRequest['admit'],
): AsyncGenerator<Uint8Array> {
  let bytes = 0
  for await (const piece of pieces) {
    bytes += piece.length
    if (bytes > limitBytes) throw invalidAudio(`it is longer than ${limitHours} hours`, 'Send it in parts.')
    await admit?.(bytes / bytesPerSecond)
    yield piece
  }
  if (bytes < bytesPerSample) throw invalidAudio('it holds no sound')
}
