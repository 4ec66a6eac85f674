import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
import type { ToDecoder } from './decode-worker.ts'
import { audioStream, type Libav, type LibavStream, openLibav, sampleFormats } from './libav.ts'
import { pcmDecoders } from './pcm-codecs.ts'
import { Resampler } from './resampler.ts'
import { Undecodable } from './undecodable.ts'

const fileName = 'recording'
const readBytes = 256 * 1024
const memoryLimitBytes = 512 * 1024 * 1024

/** Decodes the first audio track of a file. Yields the readable part of a damaged or cut file. Throws Undecodable. */
export async function* decodeByLibav({ path, demuxer, startByte }: ToDecoder): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  const libav = await openLibav()
  const descriptor = openSync(path, 'r')
  try {
    libav.onblockread = (name, position, length) => {
      const bytes = new Uint8Array(Math.max(length, readBytes))
      const filled = readSync(descriptor, bytes, 0, bytes.length, startByte + position)
      libav.ff_block_reader_dev_send(name, position, filled === 0 ? null : bytes.subarray(0, filled))
    }
    await libav.mkblockreaderdev(fileName, fstatSync(descriptor).size - startByte)
    yield* decodeFile(libav, demuxer)
  } finally {
    closeSync(descriptor)
  }
}

async function* decodeFile(libav: Libav, demuxer: string): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  const [format, streams] = await libav.ff_init_demuxer_file(fileName, demuxer).catch((cause: unknown) => {
    throw new Undecodable('it is damaged or cut short', { cause })
  })
  const track = streams.find(({ codec_type }) => codec_type === audioStream)
  if (track === undefined) throw new Undecodable('it has no audio track')
  const decode = openDecoder(libav, track)
  const resampler = new Resampler(libav)
  const packet = libav.av_packet_alloc()
  while ((await libav.av_read_frame(format, packet)) >= 0) {
    if (libav.AVPacket_stream_index(packet) === track.index) {
      for (const frame of decode(packet)) yield* resampler.push(frame)
    }
    libav.av_packet_unref(packet)
    if (libav.HEAPU8.length > memoryLimitBytes) throw new Undecodable('it needs too much memory')
  }
  for (const frame of decode(endOfStream)) yield* resampler.push(frame)
  yield* resampler.end()
}

const endOfStream = 0

/** Decodes a packet into frames. A damaged packet yields none. */
type Decode = (packet: number) => Iterable<number>

function openDecoder(libav: Libav, { codec_id, codecpar }: LibavStream): Decode {
  const pcm = pcmDecoders.get(codec_id)
  if (pcm !== undefined) {
    const content = {
      format: sampleFormats.float,
      sample_rate: libav.AVCodecParameters_sample_rate(codecpar),
      channels: libav.AVCodecParameters_channels(codecpar),
      channel_layout: 0,
    }
    const frame = libav.av_frame_alloc()
    return function* (packet) {
      if (packet === endOfStream) return
      const data = pcm(libav.copyout_u8(libav.AVPacket_data(packet), libav.AVPacket_size(packet)))
      libav.ff_copyin_frame(frame, { ...content, data })
      yield frame
    }
  }
  const [, context, , frame] = open(libav, codec_id, codecpar)
  return function* (packet) {
    libav.avcodec_send_packet(context, packet)
    while (libav.avcodec_receive_frame(context, frame) >= 0) yield frame
  }
}

function open(libav: Libav, codecId: number, codecpar: number) {
  try {
    return libav.ff_init_decoder(codecId, { codecpar })
  } catch (cause) {
    throw new Undecodable('its audio codec is not built in', { needsFfmpeg: true, cause })
  }
}
