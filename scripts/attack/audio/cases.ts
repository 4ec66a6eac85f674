/** Wrong uploads, and the permitted answers to each. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { audioSampleRateHz } from '../../../src/core/speech.ts'
import { toPcm, wavFile } from '../../eval/speech/wav.ts'
import { silentFlac } from './flac.ts'

/** Moment at which the client disconnects, or stops sending. */
export type Moment = 'upload' | 'decoding' | 'computing' | 'answer'

export interface UploadCase {
  readonly name: string
  readonly file: () => Uint8Array
  readonly fileName?: string
  /** Further fields of the form, after the model. */
  readonly fields?: readonly (readonly [string, string])[]
  /** True to send the body's length. Otherwise it is sent in chunks. */
  readonly sendsLength?: boolean
  readonly disconnectsAt?: Moment
  /** True to send half of the body and then nothing. */
  readonly stalls?: boolean
  /** Permitted statuses. None if the client disconnects. */
  readonly statuses: readonly number[]
  /** 30 unless given. */
  readonly limitSeconds?: number
}

const mebibyte = 1024 * 1024
const fixtures = join(import.meta.dir, '../../../src/audio/fixtures')
const fixture = (name: string) => readFileSync(join(fixtures, name))
const half = (name: string) => fixture(name).subarray(0, fixture(name).length / 2)
const text = (content: string) => new TextEncoder().encode(content)
const silence = (seconds: number) => wavFile(toPcm(new Float32Array(seconds * audioSampleRateHz)), audioSampleRateHz)
const noise = (bytes: number) => Uint8Array.from({ length: bytes }, (_, index) => (index * 7919) >> (index % 7))

/** Returns a WAV file whose header contradicts its content. */
function lyingWav(change: (header: DataView) => void, samples = audioSampleRateHz): Uint8Array {
  const file = wavFile(toPcm(new Float32Array(samples)), audioSampleRateHz)
  change(new DataView(file.buffer))
  return file
}

const wrong = [400]
const either = [200, 400]

export function uploadCases(listener: string): readonly UploadCase[] {
  return [
    { name: '0 bytes', file: () => new Uint8Array(), statuses: wrong },
    { name: '1 byte', file: () => Uint8Array.of(0), statuses: wrong },
    {
      name: 'text named .mp3',
      file: () => text('This is no music. '.repeat(1000)),
      fileName: 'song.mp3',
      statuses: wrong,
    },
    { name: '10 MB of noise', file: () => noise(10 * mebibyte), fileName: 'a.mp3', statuses: wrong },
    { name: 'a WAV header alone', file: () => silence(0), statuses: wrong },
    { name: 'half a WAV header', file: () => silence(1).subarray(0, 22), statuses: wrong },
    { name: 'one sample', file: () => wavFile(toPcm(new Float32Array(1)), audioSampleRateHz), statuses: either },
    ...['tone.mp3', 'tone.aac', 'tone.flac', 'tone.webm', 'opus.ogg', 'vorbis.ogg', 'index-first.m4a', 'tone.m4a'].map(
      (name) => ({ name: `half of ${name}`, file: () => half(name), fileName: name, statuses: either }),
    ),
    { name: 'video without sound, mp4', file: () => fixture('silent-film.mp4'), statuses: wrong },
    { name: 'video without sound, webm', file: () => fixture('silent-film.webm'), statuses: wrong },
    { name: '8 channels of 192 kHz', file: manyChannels, statuses: [200] },
    {
      name: 'WAV of 65,535 channels',
      file: () => lyingWav((header) => header.setUint16(22, 65_535, true)),
      statuses: either,
    },
    { name: 'WAV of 0 channels', file: () => lyingWav((header) => header.setUint16(22, 0, true)), statuses: wrong },
    { name: 'WAV of 0 Hz', file: () => lyingWav((header) => header.setUint32(24, 0, true)), statuses: wrong },
    {
      name: 'WAV of 1 Hz',
      file: () => lyingWav((header) => header.setUint32(24, 1, true), 10 * mebibyte),
      statuses: wrong,
      limitSeconds: 60,
    },
    { name: 'WAV of 4 GHz', file: () => lyingWav((header) => header.setUint32(24, 4e9, true)), statuses: either },
    {
      name: 'WAV that claims 4 GB',
      file: () => lyingWav((header) => header.setUint32(40, 0xffff_ffff, true)),
      statuses: either,
    },
    { name: '10 hours of silence', file: () => silentFlac(8789, 16_000), statuses: [200], limitSeconds: 600 },
    { name: 'FLAC of 13 hours', file: () => silentFlac(11_500, 16_000), statuses: wrong, limitSeconds: 60 },
    { name: 'FLAC that decodes to 2 TB', file: () => silentFlac(1_000_000, 1000), statuses: wrong, limitSeconds: 60 },
    ...playlists(listener),
    {
      name: 'a prompt of 1 MB',
      file: () => silence(1),
      fields: [['prompt', 'x'.repeat(mebibyte)]],
      statuses: [400, 413],
    },
    {
      name: '10,000 fields',
      file: () => silence(1),
      fields: Array.from({ length: 10_000 }, () => ['a', 'b'] as const),
      statuses: wrong,
    },
    {
      name: 'a field name of 1 MB',
      file: () => silence(1),
      fields: [['n'.repeat(mebibyte), 'x']],
      statuses: [200, 400],
    },
    { name: '101 MB, length stated', file: () => new Uint8Array(101 * mebibyte), sendsLength: true, statuses: [413] },
    { name: '101 MB in chunks', file: () => new Uint8Array(101 * mebibyte), statuses: [413] },
    { name: '99 MB of WAV', file: () => silence(3240), statuses: [200], limitSeconds: 300 },
    { name: 'an upload that stalls', file: () => silence(60), stalls: true, statuses: [408], limitSeconds: 75 },
    ...(['upload', 'decoding', 'computing', 'answer'] as const).map((disconnectsAt) => ({
      name: `disconnects: ${disconnectsAt}`,
      file: disconnectsAt === 'answer' ? speech : () => silentFlac(8789, 16_000),
      fields: disconnectsAt === 'answer' ? ([['stream', 'true']] as const) : [],
      statuses: [],
      disconnectsAt,
    })),
  ]
}

/** Returns an hour of two sentences in turns. */
function speech(): Uint8Array {
  const once = readFileSync(join(import.meta.dir, '../../../src/engines/speech/fixtures/two-sentences.wav')).subarray(
    44,
  )
  return wavFile(Buffer.concat(Array.from({ length: 900 }, () => once)), audioSampleRateHz)
}

function manyChannels(): Uint8Array {
  return lyingWav((header) => {
    header.setUint16(22, 8, true)
    header.setUint32(24, 192_000, true)
    header.setUint32(28, 192_000 * 16, true)
    header.setUint16(32, 16, true)
  }, 8 * 192_000)
}

/** Returns files that tell a decoder to open others, on this machine or elsewhere. */
function playlists(listener: string): UploadCase[] {
  const contents = {
    'HLS of a local file': '#EXTM3U\n#EXTINF:1,\nfile:///etc/passwd\n#EXT-X-ENDLIST\n',
    'HLS of a server': `#EXTM3U\n#EXTINF:1,\n${listener}/a.ts\n#EXT-X-ENDLIST\n`,
    'concat of a local file': "ffconcat version 1.0\nfile '/etc/passwd'\n",
    'DASH of a server': `<?xml version="1.0"?><MPD xmlns="urn:mpeg:dash:schema:mpd:2011"><BaseURL>${listener}</BaseURL></MPD>`,
    'SDP of a server': 'v=0\no=- 0 0 IN IP4 127.0.0.1\nc=IN IP4 127.0.0.1\nm=audio 5004 RTP/AVP 0\n',
  }
  return Object.entries(contents).map(([name, content]) => ({ name, file: () => text(content), statuses: wrong }))
}
