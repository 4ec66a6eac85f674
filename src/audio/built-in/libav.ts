/**
 * FFmpeg's libraries as WebAssembly, with demuxers and decoders of mp3, ogg, flac, webm and wav. The package's
 * single-threaded build is imported by path, because the package itself would look for its files beside the executable.
 */
import createLibav from '../../../node_modules/@libav.js/variant-obsolete/dist/libav-6.10.9.0-obsolete.wasm.mjs'
import program from '../../../node_modules/@libav.js/variant-obsolete/dist/libav-6.10.9.0-obsolete.wasm.wasm' with {
  type: 'file',
}

/** Address in the library's memory. 0 means none. */
type Pointer = number

/** The functions of the library that we use. They return FFmpeg's codes, negative for errors. */
export interface Libav {
  /** Whole memory of the library. */
  readonly HEAPU8: Uint8Array
  /** Called when the library needs bytes of the file. `ff_block_reader_dev_send` delivers them. */
  onblockread: (name: string, position: number, length: number) => void
  mkblockreaderdev(name: string, sizeBytes: number): Promise<void>
  ff_block_reader_dev_send(name: string, position: number, bytes: Uint8Array | null): void
  av_log_set_level(level: number): void

  /** Opens a file by its format. Rejects if it has another one. */
  ff_init_demuxer_file(name: string, format: string): Promise<[format: Pointer, streams: LibavStream[]]>
  AVCodecParameters_sample_rate(parameters: Pointer): number
  AVCodecParameters_channels(parameters: Pointer): number
  av_read_frame(format: Pointer, packet: Pointer): Promise<number>
  AVPacket_stream_index(packet: Pointer): number
  AVPacket_data(packet: Pointer): Pointer
  AVPacket_size(packet: Pointer): number
  av_packet_unref(packet: Pointer): void

  /** Creates a decoder. Throws if the codec is missing or refuses the parameters. */
  ff_init_decoder(
    codecId: number,
    options: { readonly codecpar: Pointer },
  ): [codec: Pointer, context: Pointer, packet: Pointer, frame: Pointer]
  avcodec_send_packet(context: Pointer, packet: Pointer): number
  avcodec_receive_frame(context: Pointer, frame: Pointer): number

  av_packet_alloc(): Pointer
  av_frame_alloc(): Pointer
  av_frame_unref(frame: Pointer): void
  AVFrame_format(frame: Pointer): number
  AVFrame_sample_rate(frame: Pointer): number
  AVFrame_channels(frame: Pointer): number
  AVFrame_channel_layout(frame: Pointer): number
  AVFrame_nb_samples(frame: Pointer): number
  AVFrame_data_a(frame: Pointer, plane: number): Pointer
  ff_copyin_frame(frame: Pointer, content: FrameContent): void
  copyout_u8(bytes: Pointer, length: number): Uint8Array<ArrayBuffer>

  ff_init_filter_graph(
    description: string,
    input: SampleLayout,
    output: SampleLayout,
  ): [graph: Pointer, source: Pointer, sink: Pointer]
  avfilter_graph_free_js(graph: Pointer): void
  av_buffersrc_add_frame_flags(source: Pointer, frame: Pointer, flags: number): number
  av_buffersink_get_frame(sink: Pointer, frame: Pointer): number
}

export interface LibavStream {
  readonly index: number
  readonly codec_type: number
  readonly codec_id: number
  readonly codecpar: Pointer
}

interface SampleLayout {
  readonly sample_fmt: number
  readonly sample_rate: number
  readonly channel_layout: number
}

interface FrameContent {
  readonly format: number
  readonly sample_rate: number
  readonly channels: number
  readonly channel_layout: number
  readonly data: Float32Array
}

export const sampleFormats = { int16: 1, float: 3 } as const
export const audioStream = 1
const logNothing = -8

/** Ignores the library's log, which is not meant for people. */
const ignore = () => {}

export async function openLibav(): Promise<Libav> {
  const libav = await createLibav<Libav>({ wasmurl: program, print: ignore, printErr: ignore })
  libav.av_log_set_level(logNothing)
  return libav
}
