import { audioSampleRateHz } from '../../core/speech.ts'
import type { Container } from '../container/identify-audio.ts'

/** The only demuxer allowed for each container. None opens other files (playlists), images or subtitles. */
const demuxers: Readonly<Record<Container, string>> = {
  wav: 'wav',
  mp3: 'mp3',
  mp4: 'mov',
  ogg: 'ogg',
  flac: 'flac',
  webm: 'matroska',
  aac: 'aac',
  amr: 'amr',
  ts: 'mpegts',
  avi: 'avi',
  aiff: 'aiff',
  caf: 'caf',
  au: 'au',
  asf: 'asf',
  flv: 'flv',
  w64: 'w64',
  mpeg: 'mpeg',
}

/** Allowed decoders, all of audio. Builds differ in which of two decoders of a codec they have. */
const decoders = [
  ...['wmav1', 'wmav2', 'wmapro'],
  ...['aac', 'aac_latm', 'libfdk_aac', 'alac', 'flac', 'vorbis', 'libvorbis', 'opus', 'libopus', 'speex', 'libspeex'],
  ...['mp3', 'mp3float', 'mp2', 'mp2float', 'mp1', 'mp1float', 'ac3', 'eac3'],
  ...['amrnb', 'amrwb', 'libopencore_amrnb', 'libopencore_amrwb', 'gsm', 'gsm_ms', 'libgsm', 'libgsm_ms'],
  ...['adpcm_ms', 'adpcm_ima_wav', 'adpcm_ima_qt', 'g722', 'g726', 'pcm_alaw', 'pcm_mulaw', 'pcm_u8', 'pcm_s8'],
  ...['pcm_s16le', 'pcm_s16be', 'pcm_s24le', 'pcm_s24be', 'pcm_s32le', 'pcm_s32be'],
  ...['pcm_f32le', 'pcm_f32be', 'pcm_f64le', 'pcm_f64be'],
]

/** Largest block of memory that `ffmpeg` may allocate. */
const allocationLimitBytes = 256 * 1024 * 1024

/**
 * Returns the arguments of `ffmpeg` that decode the first audio track of one file, of this container only, to bare
 * samples on its output.
 */
export function ffmpegWords(path: string, container: Container): string[] {
  const demuxer = demuxers[container]
  return [
    ...['-nostdin', '-hide_banner', '-loglevel', 'error', '-max_alloc', String(allocationLimitBytes)],
    ...['-protocol_whitelist', 'file,pipe', '-format_whitelist', demuxer, '-codec_whitelist', decoders.join(',')],
    ...['-threads', '1', '-f', demuxer, '-i', `file:${path}`],
    ...['-map', '0:a:0', '-vn', '-sn', '-dn', '-map_metadata', '-1'],
    ...['-ac', '1', '-ar', String(audioSampleRateHz), '-c:a', 'pcm_s16le', '-f', 's16le', 'pipe:1'],
  ]
}
