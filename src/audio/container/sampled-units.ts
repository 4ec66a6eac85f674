import type { FileBytes } from './file-bytes.ts'

/** Frames, pages or packets that follow each other without a gap, each beginning with a mark. */
export interface Units {
  /** First byte of every mark. */
  readonly firstByte: number
  /** Returns the length in bytes of the unit that begins at `at`; undefined if none does. */
  readonly lengthAt: (view: DataView, at: number) => number | undefined
  readonly longestBytes: number
}

const windowCount = 8
const smallestWindowBytes = 16 * 1024

/**
 * Returns the share of a file that its units cover from `startByte` on, 0 to 1. Samples large files in a few windows. A
 * unit counts only if another one or the end of the data follows it.
 */
export function coveredShare(file: FileBytes, startByte: number, units: Units): number {
  const windowBytes = Math.max(smallestWindowBytes, 2 * units.longestBytes)
  const bytes = file.sizeBytes - startByte
  if (bytes <= windowBytes * windowCount) return coveredBytes(file.read(startByte, bytes), units, 0) / bytes
  const stepBytes = (bytes - windowBytes) / (windowCount - 1)
  let covered = 0
  for (let window = 0; window < windowCount; window++) {
    const view = file.read(startByte + Math.round(window * stepBytes), windowBytes)
    covered += coveredBytes(view, units, window === 0 ? 0 : units.longestBytes)
  }
  return covered / (windowBytes * windowCount)
}

/**
 * Returns the bytes of all units in a window. The window may begin inside a unit: up to `cutBytes` before the first
 * mark count as covered.
 */
function coveredBytes(view: DataView, { firstByte, lengthAt }: Units, cutBytes: number): number {
  const bytes = new Uint8Array(view.buffer, view.byteOffset, view.byteLength)
  let covered = 0
  let isFirst = true
  let at = bytes.indexOf(firstByte)
  let length = at < 0 ? undefined : lengthAt(view, at)
  while (at >= 0) {
    const end = at + (length ?? 0)
    const next = end < bytes.length ? lengthAt(view, end) : undefined
    if (length !== undefined && (end >= bytes.length || next !== undefined)) {
      if (isFirst) covered += Math.min(at, cutBytes)
      isFirst = false
      covered += Math.min(end, bytes.length) - at
      at = end < bytes.length ? end : -1
      length = next
    } else {
      at = bytes.indexOf(firstByte, at + 1)
      length = at < 0 ? undefined : lengthAt(view, at)
    }
  }
  return covered
}
