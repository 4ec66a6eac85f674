/**
 * FFmpeg's encoders as WebAssembly. Imports the package's single-threaded build by its path, since the package itself
 * would look for its files beside the executable. Contexts, frames and packets are addresses in the library's memory.
 */
import createLibav from '../../../../../node_modules/@libav.js/variant-obsolete/dist/libav-6.10.9.0-obsolete.wasm.mjs'
import program from '../../../../../node_modules/@libav.js/variant-obsolete/dist/libav-6.10.9.0-obsolete.wasm.wasm' with {
  type: 'file',
}

interface CodecOptions {
  readonly ctx: Readonly<Record<string, number>>
  readonly time_base: readonly [number, number]
  readonly options: Readonly<Record<string, string>>
}

/** Frame of 16-bit samples of one channel. */
export interface LibavFrame {
  readonly data: Int16Array | readonly [Int16Array]
  readonly format: number
  readonly channels: 1
  readonly channel_layout: number
  readonly sample_rate: number
  readonly nb_samples: number
  readonly pts: number
}

export interface Libav {
  /** The library's whole memory. */
  readonly HEAPU8: Uint8Array
  /** Called with each piece of written bytes, which are overwritten afterwards. */
  onwrite?: (file: string, position: number, bytes: Int8Array) => void
  ff_init_encoder(
    name: string,
    options: CodecOptions,
  ): [codec: number, context: number, frame: number, packet: number, frameSamples: number]
  ff_encode_multi(
    context: number,
    frame: number,
    packet: number,
    frames: readonly LibavFrame[],
    isEnd: boolean,
  ): readonly unknown[]
  ff_free_encoder(context: number, frame: number, packet: number): void
  mkstreamwriterdev(file: string): void
  unlink(file: string): void
  ff_init_muxer(
    options: { readonly filename: string; readonly format_name: string; readonly open: true },
    streams: readonly (readonly [context: number, numerator: number, denominator: number])[],
  ): [muxer: number, format: number, output: number, streams: readonly number[]]
  AVFormatContext_flags_s(muxer: number, flags: number): void
  avformat_write_header(muxer: number, options: 0): number
  ff_write_multi(muxer: number, packet: number, packets: readonly unknown[], isInterleaved: boolean): void
  av_write_trailer(muxer: number): number
  ff_free_muxer(muxer: number, output: number): void
  av_log_set_level(level: number): void
}

const quiet = -8

/** Loads the library, which takes some 100 ms. */
export async function openLibav(): Promise<Libav> {
  const libav = await createLibav<Libav>({ wasmurl: program })
  libav.av_log_set_level(quiet)
  return libav
}
