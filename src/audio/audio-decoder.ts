import { type AudioFile, audioSampleRateHz } from '../core/speech.ts'
import { Turns } from '../core/turns.ts'
import type { Spool } from '../spool.ts'
import { decodeBuiltIn } from './built-in/decode-built-in.ts'
import { openFileBytes } from './container/file-bytes.ts'
import { type IdentifiedAudio, identifyAudio } from './container/identify-audio.ts'
import { statedLengthSeconds } from './container/stated-length.ts'
import { decodeByFfmpeg } from './ffmpeg/decode-by-ffmpeg.ts'
import { findFfmpeg } from './ffmpeg/find-ffmpeg.ts'
import { invalidAudio } from './invalid-audio.ts'

const bytesPerSample = 2
/** Of compressed audio that does not say how long it is. */
const usualBytesPerSecond = 16_000
const limitHours = 12
const limitBytes = limitHours * 3600 * audioSampleRateHz * bytesPerSample

/** A recording as engines read it. Dispose of it when its request ends: that deletes the file. */
export interface DecodedAudio extends AudioFile, AsyncDisposable {}

export interface AudioDecoderOptions {
  readonly spool: Pick<Spool, 'write'>
  /** How many recordings are decoded at the same time. */
  readonly parallel: number
  /** Folders where `ffmpeg` is looked for; this process's own if it is not given. */
  readonly programPath?: string
  readonly withinMs?: (sizeBytes: number) => number
}

export interface DecodeRequest {
  readonly path: string
  /** Accounts wait for each other in turns. */
  readonly accountId: string
  readonly signal: AbortSignal
  /** Called before anything is decoded, with the length that the file states, if it does. What it throws refuses the file. */
  readonly admit?: (statedSeconds: number) => void
}

interface Recording extends IdentifiedAudio {
  readonly path: string
  readonly sizeBytes: number
  readonly statedSeconds: number | undefined
}

/** Decodes recordings of any container into files of the spool. */
export class AudioDecoder {
  readonly #options: AudioDecoderOptions
  readonly #turns: Turns

  constructor(options: AudioDecoderOptions) {
    this.#options = options
    this.#turns = new Turns({ all: options.parallel })
  }

  /**
   * Decodes a recording; of one that is damaged, what there is. Waits while others are decoded. Throws ApiError 400
   * `invalid_audio` where it cannot be decoded, is empty or too long, what `Spool` and `admit` throw, and the signal's reason when that
   * aborts. Then nothing of the result is left.
   */
  async decode({ path, accountId, signal, admit }: DecodeRequest): Promise<DecodedAudio> {
    const recording = readRecording(path)
    const { sizeBytes, statedSeconds } = recording
    if (statedSeconds !== undefined) admit?.(statedSeconds)
    using _turn = await this.#turns.take(accountId, statedSeconds ?? sizeBytes / usualBytesPerSecond, signal)
    const deadline = new AbortController()
    const timer = setTimeout(() => deadline.abort(), (this.#options.withinMs ?? decodeWithinMs)(sizeBytes))
    try {
      const pieces = this.#pieces(recording, AbortSignal.any([signal, deadline.signal]))
      const file = await this.#options.spool.write(withinLength(pieces), { accountId })
      return {
        path: file.path,
        sampleCount: Math.floor(file.sizeBytes / bytesPerSample),
        [Symbol.asyncDispose]: () => file[Symbol.asyncDispose](),
      }
    } catch (error) {
      signal.throwIfAborted()
      if (deadline.signal.aborted) throw invalidAudio('decoding takes too long')
      throw error
    } finally {
      clearTimeout(timer)
    }
  }

  async *#pieces(recording: Recording, signal: AbortSignal): AsyncGenerator<Uint8Array> {
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
  return { ...audio, path, sizeBytes: file.sizeBytes, statedSeconds: statedLengthSeconds(file, audio) }
}

/**
 * A megabyte can hold twenty minutes of speech, which takes half a minute on a slow machine. What decodes for ever ends at the
 * limit of the length long before.
 */
function decodeWithinMs(sizeBytes: number): number {
  return Math.min(60_000 + (sizeBytes / 1e6) * 30_000, 30 * 60_000)
}

/** Passes on what is decoded, as long as it is not too much, and something at all. */
export async function* withinLength(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let bytes = 0
  for await (const piece of pieces) {
    bytes += piece.length
    if (bytes > limitBytes) throw invalidAudio(`it is longer than ${limitHours} hours`, 'Send it in parts.')
    yield piece
  }
  if (bytes < bytesPerSample) throw invalidAudio('it holds no sound')
}
