import type { SoundPart } from '../../core/content.ts'
import { ApiError } from '../../core/errors.ts'
import { audioSampleRateHz } from '../../core/speech.ts'
import type { FileFetcher } from '../../images/fetch/file-fetcher.ts'
import type { Spool, SpooledFile } from '../../spool/spool.ts'
import { moveBytes } from '../../spool/write-bytes.ts'
import type { AudioDecoder } from '../audio-decoder.ts'
import { contentOfBytes, type SentSound } from './sent-sounds.ts'
import { invalidSound, requireFewSounds, soundLimits, soundTooLarge, soundTooLong } from './sound-limits.ts'

export interface SoundReceiverOptions {
  readonly spool: Pick<Spool, 'write'>
  readonly decoder: Pick<AudioDecoder, 'decode'>
  readonly fetcher: Pick<FileFetcher, 'fetch' | 'requireAllowed'>
}

interface ReceiveOptions {
  /** Account whose spool quota the files count against. */
  readonly accountId: string
  readonly signal: AbortSignal
  /** Keeps each file as long as the request runs. */
  readonly keep: (file: AsyncDisposable) => unknown
}

/** Recording whose bytes are in the spool. */
export interface StoredSound {
  readonly sound: SentSound
  /** Undefined for one at another server. */
  readonly file: SpooledFile | undefined
}

/** Checks the recordings of chats, and decodes them into spool files. */
export class SoundReceiver {
  readonly #options: SoundReceiverOptions

  constructor(options: SoundReceiverOptions) {
    this.#options = options
  }

  /**
   * Checks the recordings and writes them to the spool as they were sent, which frees their memory. Throws ApiError 400
   * `invalid_audio`, `invalid_audio_url` or `too_many_recordings`, 413, errors of `Spool`, and the signal's reason.
   */
  async store(sounds: readonly SentSound[], options: ReceiveOptions): Promise<readonly StoredSound[]> {
    requireFewSounds(sounds)
    for (const { content, param } of sounds) {
      if (content.kind === 'url') this.#options.fetcher.requireAllowed(param)
      if (content.kind === 'unreadable') throw invalidSound(param, content.reason)
      if (content.kind === 'bytes' && content.bytes.length > soundLimits.bytes) throw soundTooLarge(param)
    }
    const stored: StoredSound[] = []
    for (const sound of sounds) stored.push({ sound, file: await this.#write(sound, options) })
    return stored
  }

  async #write({ content }: SentSound, options: ReceiveOptions): Promise<SpooledFile | undefined> {
    return content.kind === 'bytes' ? await moveBytes(this.#options.spool, content.bytes, options) : undefined
  }

  /**
   * Returns the recordings decoded, in order, fetched if need be. Throws ApiError 400 `invalid_audio` or
   * `invalid_audio_url`, 413, errors of `Spool`, and the signal's reason.
   */
  async decode(stored: readonly StoredSound[], options: ReceiveOptions): Promise<SoundPart[]> {
    const parts: SoundPart[] = []
    for (const each of stored) parts.push(await this.#decode(await this.#fetched(each, options), options))
    return parts
  }

  async #fetched(stored: StoredSound, options: ReceiveOptions): Promise<StoredSound> {
    const { content, param } = stored.sound
    if (content.kind !== 'url') return stored
    const { accountId, signal } = options
    using fetched = await this.#options.fetcher.fetch({ url: content.url, param, accountId, signal })
    const sound = { param, content: contentOfBytes(fetched.bytes) }
    if (sound.content.kind === 'unreadable') throw invalidSound(param, sound.content.reason)
    return { sound, file: await this.#write(sound, options) }
  }

  async #decode({ sound, file }: StoredSound, { accountId, signal, keep }: ReceiveOptions): Promise<SoundPart> {
    const { content, param } = sound
    if (content.kind !== 'bytes' || file === undefined) throw new Error('an unchecked recording: this is a bug')
    const admit = (seconds: number) => {
      if (seconds > soundLimits.seconds) throw soundTooLong(param)
    }
    const decoding = this.#options.decoder.decode({ path: file.path, accountId, signal, admit })
    const decoded = await decoding.catch((error: unknown) => Promise.reject(ofPart(error, param)))
    keep(decoded)
    await file[Symbol.asyncDispose]()
    const { path, sampleCount: samples } = decoded
    if (samples < soundLimits.leastSeconds * audioSampleRateHz) {
      throw invalidSound(param, `it is shorter than ${soundLimits.leastSeconds} s`)
    }
    return { type: 'sound', hash: content.hash, path, samples, param }
  }
}

/** Returns the decoder's error in terms of the request. */
function ofPart(error: unknown, param: string): unknown {
  if (!(error instanceof ApiError) || error.code !== 'invalid_audio' || error.param === param) return error
  const message = error.message.replace(/^The file\b/, `'${param}'`)
  return new ApiError(error.kind, message, { ...error, cause: error.cause, param })
}
