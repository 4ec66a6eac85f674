import { endOfAiff, endOfAvi, endOfCaf, endOfMp4, endOfWav } from './chunk-lists.ts'
import { endOfWebm } from './end-of-webm.ts'
import type { FileBytes } from './file-bytes.ts'
import { type Container, endOfTags, type IdentifiedAudio } from './identify-audio.ts'
import { coveredShare, type Units } from './sampled-units.ts'
import { findTsPackets } from './ts-packets.ts'
import { adtsFrames, endOfFlacMetadata, flacFrames, mpegFrames, oggPages, tsPackets } from './unit-kinds.ts'

/** Returns the bytes of a file, from `startByte` on, that readers of its container skip. */
type SkippedBytes = (file: FileBytes, startByte: number) => number

function between(units: (file: FileBytes, startByte: number) => Units): SkippedBytes {
  return (file, startByte) => (1 - coveredShare(file, startByte, units(file, startByte))) * (file.sizeBytes - startByte)
}

function behind(endOf: (file: FileBytes, startByte: number) => number): SkippedBytes {
  return (file, startByte) => file.sizeBytes - endOf(file, startByte)
}

/** Functions by container. For other containers nothing counts as skipped. */
const skippedBytes: Partial<Readonly<Record<Container, SkippedBytes>>> = {
  mp3: between(() => mpegFrames),
  aac: between(() => adtsFrames),
  ogg: between(() => oggPages),
  ts: between((file, startByte) => tsPackets(findTsPackets(file, startByte)?.packetBytes ?? 188)),
  flac: (file, startByte) => {
    const frames = endOfFlacMetadata(file, startByte)
    if (frames >= file.sizeBytes) return 0
    return (1 - coveredShare(file, frames, flacFrames(file, startByte))) * (file.sizeBytes - frames)
  },
  wav: behind(endOfWav),
  aiff: behind(endOfAiff),
  caf: behind(endOfCaf),
  avi: behind(endOfAvi),
  mp4: behind(endOfMp4),
  webm: behind(endOfWebm),
}

/**
 * Returns the share of a file, 0 to 1, that readers of its container skip silently: bytes between frames, bytes behind
 * the last chunk, a second recording. Tags at the beginning do not count.
 */
export function skippedShare(file: FileBytes, { container, startByte }: IdentifiedAudio): number {
  const tagsEnd = endOfTags(file)
  const bytes = file.sizeBytes - tagsEnd
  const skipped = startByte - tagsEnd + (skippedBytes[container]?.(file, startByte) ?? 0)
  return bytes > 0 ? skipped / bytes : 0
}
