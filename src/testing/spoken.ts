/** Recordings for tests, in the spool's format. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type AudioFile, audioSampleRateHz } from '../core/speech.ts'

/**
 * Words of the recording, which was made by
 * `espeak-ng -v en-us -s 150 -w x.wav "The train leaves at nine. Please open the window."` and
 * `ffmpeg -i x.wav -ar 16000 -ac 1 -sample_fmt s16 -bitexact two-sentences.wav`.
 */
export const spokenWords = 'the train leaves at nine please open the window'.split(' ')

const headerBytes = 44
const wav = join(import.meta.dir, '..', 'engines', 'speech', 'fixtures', 'two-sentences.wav')

/** Returns the recording's samples: 3.8 s, with half a second of silence in the middle. */
export function spokenSamples(): Int16Array {
  const bytes = readFileSync(wav).subarray(headerBytes)
  return new Int16Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength))
}

/** Returns the recording repeated for this many seconds, from `firstSample` on, as samples from -1 to 1. */
export function speechLike(seconds: number, firstSample = 0): Float32Array {
  const spoken = spokenSamples()
  return Float32Array.from(
    { length: Math.round(seconds * audioSampleRateHz) },
    (_, at) => (spoken[(firstSample + at) % spoken.length] ?? 0) / 32_768,
  )
}

export function silence(seconds: number): Int16Array {
  return new Int16Array(seconds * audioSampleRateHz)
}

/** Writes the parts one after the other into a file. */
export function writeRecording(path: string, ...parts: readonly Int16Array[]): AudioFile {
  writeFileSync(
    path,
    Buffer.concat(parts.map(({ buffer, byteOffset, byteLength }) => Buffer.from(buffer, byteOffset, byteLength))),
  )
  return { path, sampleCount: parts.reduce((sum, part) => sum + part.length, 0) }
}
