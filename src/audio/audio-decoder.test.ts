/** Real files of real encoders, by `ffmpeg` where the machine has it, and by what is built in. */
import { afterAll, afterEach, expect, test } from 'bun:test'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { audioSampleRateHz } from '../core/speech.ts'
import { Spool, spoolDefaults } from '../spool.ts'
import { AudioDecoder, type AudioDecoderOptions } from './audio-decoder.ts'

const data = mkdtempSync(join(tmpdir(), 'inferd-audio-'))
afterAll(() => rmSync(data, { recursive: true }))

const folder = join(data, 'spool')
const nowhere = join(data, 'nowhere')
const left = () => (existsSync(folder) ? readdirSync(folder) : [])
afterEach(() => expect(left()).toEqual([]))

const fixture = (name: string) => join(import.meta.dir, 'fixtures', name)
const hasFfmpeg = Bun.which('ffmpeg') !== null

/** By which way: undefined is the machine's own programs. */
const ways: readonly (readonly [name: string, programPath: string | undefined])[] = [
  ['what is built in', nowhere],
  ...(hasFfmpeg ? [['ffmpeg', undefined] as const] : []),
]

interface Outcome {
  readonly samples: Int16Array
}

async function decode(
  path: string,
  options: Partial<AudioDecoderOptions> = {},
  signal = new AbortController().signal,
): Promise<Outcome> {
  const spool = new Spool({ ...spoolDefaults, folder })
  await using audio = await new AudioDecoder({ spool, parallel: 1, ...options }).decode({
    path,
    accountId: 'a',
    signal,
  })
  const samples = new Int16Array(readFileSync(audio.path).buffer)
  expect(samples.length).toBe(audio.sampleCount)
  return { samples }
}

/** The amplitude of one frequency, 1 being the loudest sine. */
function amplitude(samples: Int16Array, frequencyHz: number): number {
  let [sine, cosine] = [0, 0]
  samples.forEach((sample, index) => {
    const angle = (2 * Math.PI * frequencyHz * index) / audioSampleRateHz
    sine += (sample / 32_768) * Math.sin(angle)
    cosine += (sample / 32_768) * Math.cos(angle)
  })
  return (2 * Math.hypot(sine, cosine)) / samples.length
}

const tones = [
  'tone.mp3',
  'vorbis.ogg',
  'opus.ogg',
  'tone.flac',
  'tone.webm',
  'film.webm',
  'mulaw.wav',
  'alaw.wav',
  'float.wav',
]

test.each(ways.flatMap(([way, programPath]) => tones.map((name) => ({ name, way, programPath }))))(
  'decodes $name by $way',
  async ({ name, programPath }) => {
    const { samples } = await decode(fixture(name), { ...(programPath !== undefined && { programPath }) })
    // Codecs add up to two frames of silence.
    expect(samples.length / audioSampleRateHz).toBeWithin(0.48, 0.58)
    expect(amplitude(samples.subarray(1600, 6400), 440)).toBeWithin(0.115, 0.135)
    expect(amplitude(samples.subarray(1600, 6400), 1000)).toBeLessThan(0.005)
  },
)
