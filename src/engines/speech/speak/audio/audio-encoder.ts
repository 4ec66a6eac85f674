import type { AudioFormat } from '../../../../core/speech.ts'
import type { Libav, LibavFrame } from './open-libav.ts'

/** Streaming encoder of samples into one format, for one answer. */
export interface AudioEncoder {
  /** Returns finished bytes. An encoder may hold back some samples. */
  push(samples: Int16Array): Uint8Array
  /** Returns the last bytes. */
  end(): Uint8Array
  /** Frees the memory. Nothing may be called afterwards. */
  close(): void
}

interface LibavFormat {
  readonly codec: string
  readonly container: string
  /** True if each channel's samples are in a separate array. */
  readonly isPlanar: boolean
  readonly bitRate?: number
  readonly options?: Readonly<Record<string, string>>
}

/** Formats with bit rates at which speech of 24 kHz sounds like the original. */
const libavFormats: Readonly<Record<Exclude<AudioFormat, 'pcm' | 'wav'>, LibavFormat>> = {
  mp3: { codec: 'libmp3lame', container: 'mp3', isPlanar: true, bitRate: 64_000 },
  opus: {
    codec: 'libopus',
    container: 'ogg',
    isPlanar: false,
    bitRate: 32_000,
    options: { application: 'voip', compression_level: '5' },
  },
  flac: { codec: 'flac', container: 'flac', isPlanar: false },
}

const sampleFormats = { interleaved: 1, planar: 6 } // AV_SAMPLE_FMT_S16, AV_SAMPLE_FMT_S16P
const mono = 4 // AV_CH_FRONT_CENTER
/** Flags for immediate and deterministic output. */
const muxerFlags = 0x200 | 0x400 // AVFMT_FLAG_FLUSH_PACKETS, AVFMT_FLAG_BITEXACT
/** Frame size for encoders that accept any. */
const freeFrameSamples = 4096

/** Options of an encoder. `name` distinguishes the files of one `libav`. */
interface EncoderOptions {
  readonly libav: Libav
  readonly format: AudioFormat
  readonly sampleRateHz: number
  readonly name: string
}

/** Opens an encoder for one channel. For WAV it returns only the samples, since the header contains their number. */
export function openEncoder({ libav, format, sampleRateHz, name }: EncoderOptions): AudioEncoder {
  if (format === 'pcm' || format === 'wav') return plain
  return new LibavEncoder(libav, libavFormats[format], sampleRateHz, name)
}

const plain: AudioEncoder = {
  push: (samples) => new Uint8Array(samples.buffer, samples.byteOffset, samples.byteLength),
  end: () => new Uint8Array(0),
  close: () => undefined,
}

class LibavEncoder implements AudioEncoder {
  readonly #libav: Libav
  readonly #format: LibavFormat
  readonly #sampleRateHz: number
  readonly #name: string
  readonly #encoder: { readonly context: number; readonly frame: number; readonly packet: number }
  readonly #muxer: { readonly context: number; readonly output: number }
  readonly #frameSamples: number
  #rest = new Int16Array(0)
  #encodedSamples = 0
  #written: Uint8Array[] = []

  constructor(libav: Libav, format: LibavFormat, sampleRateHz: number, name: string) {
    this.#libav = libav
    this.#format = format
    this.#sampleRateHz = sampleRateHz
    this.#name = name
    const { codec, container, isPlanar, bitRate, options = {} } = format
    const [, context, frame, packet, frameSamples] = libav.ff_init_encoder(codec, {
      ctx: {
        sample_fmt: isPlanar ? sampleFormats.planar : sampleFormats.interleaved,
        sample_rate: sampleRateHz,
        channel_layout: mono,
        channels: 1,
        ...(bitRate === undefined ? {} : { bit_rate: bitRate }),
      },
      time_base: [1, sampleRateHz],
      options: bitRate === undefined ? options : { b: String(bitRate), ...options },
    })
    this.#encoder = { context, frame, packet }
    this.#frameSamples = frameSamples > 0 ? frameSamples : freeFrameSamples
    libav.mkstreamwriterdev(name)
    const [muxer, , output] = libav.ff_init_muxer({ filename: name, format_name: container, open: true }, [
      [context, 1, sampleRateHz],
    ])
    this.#muxer = { context: muxer, output }
    libav.AVFormatContext_flags_s(muxer, muxerFlags)
    this.#listen()
    libav.avformat_write_header(muxer, 0)
  }

  push(samples: Int16Array): Uint8Array {
    const waiting = new Int16Array(this.#rest.length + samples.length)
    waiting.set(this.#rest)
    waiting.set(samples, this.#rest.length)
    const whole = waiting.length - (waiting.length % this.#frameSamples)
    this.#encode(waiting.subarray(0, whole), false)
    this.#rest = waiting.slice(whole)
    return this.#takeWritten()
  }

  end(): Uint8Array {
    this.#encode(this.#rest, true)
    this.#libav.av_write_trailer(this.#muxer.context)
    return this.#takeWritten()
  }

  close(): void {
    const { context, frame, packet } = this.#encoder
    this.#libav.ff_free_muxer(this.#muxer.context, this.#muxer.output)
    this.#libav.ff_free_encoder(context, frame, packet)
    this.#libav.unlink(this.#name)
  }

  #encode(samples: Int16Array, isEnd: boolean): void {
    const { context, frame, packet } = this.#encoder
    const frames: LibavFrame[] = []
    for (let begin = 0; begin < samples.length; begin += this.#frameSamples) {
      frames.push(this.#toFrame(samples.subarray(begin, begin + this.#frameSamples)))
    }
    if (frames.length === 0 && !isEnd) return
    this.#listen()
    const packets = this.#libav.ff_encode_multi(context, frame, packet, frames, isEnd)
    this.#libav.ff_write_multi(this.#muxer.context, packet, packets, false)
  }

  #toFrame(samples: Int16Array): LibavFrame {
    const { isPlanar } = this.#format
    const pts = this.#encodedSamples
    this.#encodedSamples += samples.length
    return {
      data: isPlanar ? [samples] : samples,
      format: isPlanar ? sampleFormats.planar : sampleFormats.interleaved,
      channels: 1,
      channel_layout: mono,
      sample_rate: this.#sampleRateHz,
      nb_samples: samples.length,
      pts,
    }
  }

  /**
   * Sets this encoder's write callback. All encoders of a `libav` share one callback, so each sets its own before
   * writing.
   */
  #listen(): void {
    this.#libav.onwrite = (file, _position, bytes) => {
      if (file === this.#name) this.#written.push(new Uint8Array(bytes))
    }
  }

  #takeWritten(): Uint8Array {
    const written = Buffer.concat(this.#written)
    this.#written = []
    return written
  }
}
