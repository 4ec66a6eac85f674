import type { FileBytes } from './file-bytes.ts'
import type { Container, IdentifiedAudio } from './identify-audio.ts'
import { mp3LengthSeconds } from './mp3-length.ts'
import { mp4LengthSeconds } from './mp4-length.ts'
import { oggLengthSeconds } from './ogg-length.ts'
import { wavLengthSeconds } from './wav-length.ts'
import { webmLengthSeconds } from './webm-length.ts'

/** Returns the length in seconds that a container states; undefined if it says nothing that can be believed. */
type StatedLength = (file: FileBytes, startByte: number) => number | undefined

const statedLengths: Partial<Readonly<Record<Container, StatedLength>>> = {
  wav: wavLengthSeconds,
  mp3: mp3LengthSeconds,
  mp4: mp4LengthSeconds,
  ogg: oggLengthSeconds,
  flac: flacLengthSeconds,
  webm: webmLengthSeconds,
}

/**
 * Returns the length of a recording in seconds as its container states it, without decoding anything. It may lie, so it serves for
 * estimates alone. Undefined if the container does not say.
 */
export function statedLengthSeconds(file: FileBytes, { container, startByte }: IdentifiedAudio): number | undefined {
  const seconds = statedLengths[container]?.(file, startByte)
  return seconds !== undefined && Number.isFinite(seconds) && seconds > 0 ? seconds : undefined
}

/** Behind the marker and the header of the block that comes first: STREAMINFO, RFC 9639 section 8.2. */
const flacRateOffset = 4 + 4 + 10

/** Samples by sample rate: 20 bits of rate, 8 of channels and depth, 36 of samples, which are 0 where nobody knew. */
function flacLengthSeconds(file: FileBytes, startByte: number): number | undefined {
  const view = file.read(startByte + flacRateOffset, 8)
  if (view.byteLength < 8) return undefined
  const sampleRateHz = view.getUint32(0) >>> 12
  const samples = (view.getUint8(3) & 15) * 2 ** 32 + view.getUint32(4)
  return samples / sampleRateHz
}
