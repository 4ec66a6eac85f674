import { audioSampleRateHz } from '../../core/speech.ts'
import { type Libav, sampleFormats } from './libav.ts'
import { Undecodable } from './undecodable.ts'

/** FFmpeg's layouts of 1 to 8 channels, for files without channel names. */
const usualLayouts = [0x4, 0x3, 0xb, 0x107, 0x37, 0x3f, 0x70f, 0x63f]
/**
 * Accepted sample rates, beyond those of real recordings. Creating a resampler for a rate of gigahertz takes forever.
 */
const sampleRatesHz = { lowest: 100, highest: 4_000_000 } as const
const oneChannel = 0x4
const mono = { sample_fmt: sampleFormats.int16, sample_rate: audioSampleRateHz, channel_layout: oneChannel }

/** Converts frames of any format to the engines' mono samples. The format may change from frame to frame. */
export class Resampler {
  readonly #libav: Libav
  readonly #result: number
  #format = ''
  #graph: { readonly graph: number; readonly source: number; readonly sink: number } | undefined

  constructor(libav: Libav) {
    this.#libav = libav
    this.#result = libav.av_frame_alloc()
  }

  /** Converts a frame and takes over its content. */
  *push(frame: number): Generator<Uint8Array<ArrayBuffer>> {
    const libav = this.#libav
    const channels = libav.AVFrame_channels(frame)
    const layout = libav.AVFrame_channel_layout(frame) || usualLayouts[channels - 1]
    if (layout === undefined) throw new Undecodable(`it has ${channels} channels, more than ${usualLayouts.length}`)
    const sampleRateHz = libav.AVFrame_sample_rate(frame)
    if (sampleRateHz < sampleRatesHz.lowest || sampleRateHz > sampleRatesHz.highest)
      throw new Undecodable(`its sample rate is ${sampleRateHz} Hz`)
    const input = {
      sample_fmt: libav.AVFrame_format(frame),
      sample_rate: sampleRateHz,
      channel_layout: layout,
    }
    const format = `${channels}/${Object.values(input).join('/')}`
    if (format !== this.#format) {
      yield* this.end()
      const [graph, source, sink] = libav.ff_init_filter_graph('aresample', input, mono)
      this.#graph = { graph, source, sink }
      this.#format = format
    }
    yield* this.#filter(frame)
  }

  /** Yields the buffered rest at the end. */
  *end(): Generator<Uint8Array<ArrayBuffer>> {
    if (this.#graph === undefined) return
    yield* this.#filter(0)
    this.#libav.avfilter_graph_free_js(this.#graph.graph)
    this.#graph = undefined
    this.#format = ''
  }

  *#filter(frame: number): Generator<Uint8Array<ArrayBuffer>> {
    const { source, sink } = this.#graph ?? { source: 0, sink: 0 }
    const libav = this.#libav
    libav.av_buffersrc_add_frame_flags(source, frame, 0)
    while (libav.av_buffersink_get_frame(sink, this.#result) >= 0) {
      yield libav.copyout_u8(libav.AVFrame_data_a(this.#result, 0), libav.AVFrame_nb_samples(this.#result) * 2)
      libav.av_frame_unref(this.#result)
    }
  }
}
