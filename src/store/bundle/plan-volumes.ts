/** Distribution of content parts over disks. */
import { chunkBytes } from '../chunk-sum.ts'
import { manifestLimitBytes, maximumParts } from './layout.ts'

export interface Content {
  readonly sha256: string
  readonly bytes: number
}

export interface PlannedPart {
  readonly sha256: string
  readonly index: number
  /** Offset of the part in the content. */
  readonly offset: number
  readonly bytes: number
  /** Number of the disk, from 0. */
  readonly volume: number
}

export interface VolumeLimits {
  readonly partBytes: number
  /** Capacity of a disk in bytes. Undefined puts all parts on one disk. */
  readonly volumeBytes?: number | undefined
}

/** Bytes kept free on each disk for the manifest, its signature and the licences. */
const reservedBytes = 4 * manifestLimitBytes

/** Smallest disk that a bundle can be spread over, in bytes. */
export const minimumVolumeBytes = 2 * reservedBytes

/**
 * Returns the parts of each content in order. They fill the disks in order; a part that no longer fits begins the next
 * one.
 */
export function planParts(contents: readonly Content[], limits: VolumeLimits): PlannedPart[] {
  const roomBytes = (limits.volumeBytes ?? Number.POSITIVE_INFINITY) - reservedBytes
  const partBytes = wholeChunks(Math.min(limits.partBytes, roomBytes))
  let volume = 0
  let usedBytes = 0
  return contents.flatMap(({ sha256, bytes }) => {
    // An empty file is one empty part.
    const count = Math.max(1, Math.ceil(bytes / partBytes))
    if (count > maximumParts) throw new Error(`${sha256} would need ${count} parts; ${maximumParts} can be numbered`)
    return Array.from({ length: count }, (_, index) => {
      const offset = index * partBytes
      const part = { sha256, index, offset, bytes: Math.min(partBytes, bytes - offset) }
      if (usedBytes + part.bytes > roomBytes) {
        volume++
        usedBytes = 0
      }
      usedBytes += part.bytes
      return { ...part, volume }
    })
  })
}

/** Rounds down to whole chunks, whose parts can be installed one by one. */
function wholeChunks(bytes: number): number {
  return bytes < chunkBytes ? bytes : bytes - (bytes % chunkBytes)
}
