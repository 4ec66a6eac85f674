/** Sounds that differ by their pitch. */
import { writeFileSync } from 'node:fs'
import type { SoundPart } from '../core/content.ts'
import { audioSampleRateHz } from '../core/speech.ts'

/** Returns a tone as 16-bit samples at 16 kHz. */
export function tone(hertz: number, seconds: number): Int16Array<ArrayBuffer> {
  const samples = Math.round(seconds * audioSampleRateHz)
  return Int16Array.from(
    { length: samples },
    (_, at) => 20_000 * Math.sin((2 * Math.PI * hertz * at) / audioSampleRateHz),
  )
}

/** Writes samples into a file, and returns them as a part of a message. */
export function soundPart(path: string, samples: Int16Array<ArrayBuffer>): SoundPart {
  writeFileSync(path, samples)
  const hash = new Bun.CryptoHasher('sha256').update(samples).digest('hex')
  return { type: 'sound', hash, path, samples: samples.length, param: path }
}
