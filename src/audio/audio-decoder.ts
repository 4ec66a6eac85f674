import { type AudioFile, audioSampleRateHz } from '../core/speech.ts'
import type { Spool } from '../spool.ts'
import { invalidAudio } from './invalid-audio.ts'

const bytesPerSample = 2

/** A recording as engines read it. Dispose of it when its request ends: that deletes the file. */
export interface DecodedAudio extends AudioFile, AsyncDisposable {}

export interface AudioDecoderOptions {
  readonly spool: Spool
}

export interface DecodeRequest {
  readonly path: string
  /** Accounts wait for each other in turns. */
  readonly accountId: string
  readonly signal: AbortSignal
}

/** Decodes recordings of any container into files of the spool. */
export class AudioDecoder {
  readonly #options: AudioDecoderOptions

  constructor(options: AudioDecoderOptions) {
    this.#options = options
  }

  /**
   * Decodes a recording. Waits while many others are decoded. Throws ApiError 400 `invalid_audio` where it cannot be read, is
   * empty or too long, what `Spool` throws, and the signal's reason when that aborts. Then nothing of the result is left.
   */
  async decode({ path, accountId, signal }: DecodeRequest): Promise<DecodedAudio> {
    const { spool } = this.#options
    const file = await spool.write(pcmPieces(path, signal), { accountId })
    return {
      path: file.path,
      sampleCount: file.sizeBytes / bytesPerSample,
      [Symbol.asyncDispose]: () => file[Symbol.asyncDispose](),
    }
  }
}

const headerBytes = 44

/** So far: 16-bit mono WAV files of the sample rate that engines read. */
async function* pcmPieces(path: string, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  const file = Bun.file(path)
  const header = new DataView(await file.slice(0, headerBytes).arrayBuffer())
  const isReadable =
    header.byteLength === headerBytes &&
    header.getUint32(0) === 0x52494646 && // RIFF
    header.getUint16(22, true) === 1 &&
    header.getUint32(24, true) === audioSampleRateHz
  if (!isReadable) throw invalidAudio('it is no WAV file of 16 kHz', 'Send such a file.')
  for await (const piece of file.slice(headerBytes).stream()) {
    signal.throwIfAborted()
    yield piece
  }
}
