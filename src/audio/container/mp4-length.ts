import { type FileBytes, latinText } from './file-bytes.ts'

/** Most boxes of one level that are read. Fragmented files have thousands, all behind the box that counts. */
const boxLimit = 2_000

/** Returns the duration by time scale, from `mvhd` in `moov` (ISO/IEC 14496-12, 8.2.2). */
export function mp4LengthSeconds(file: FileBytes, startByte: number): number | undefined {
  const movie = findBox(file, 'moov', startByte, file.sizeBytes)
  const header = movie && findBox(file, 'mvhd', movie.start, movie.end)
  if (header === undefined) return undefined
  const view = file.read(header.start, 32)
  if (view.byteLength < 32) return undefined
  const isLong = view.getUint8(0) === 1
  const timeScale = view.getUint32(isLong ? 20 : 12)
  const duration = isLong ? Number(view.getBigUint64(24)) : view.getUint32(16)
  const isUnknown = duration === (isLong ? 2 ** 64 : 2 ** 32 - 1)
  return isUnknown ? undefined : duration / timeScale
}

interface Box {
  readonly start: number
  readonly end: number
}

function findBox(file: FileBytes, wanted: string, start: number, end: number): Box | undefined {
  let offset = start
  for (let box = 0; box < boxLimit && offset + 8 <= end; box++) {
    const head = file.read(offset, 16)
    if (head.byteLength < 16) return undefined
    const size = head.getUint32(0)
    const [headBytes, bytes] = size === 1 ? [16, Number(head.getBigUint64(8))] : [8, size === 0 ? end - offset : size]
    if (bytes < headBytes) return undefined
    if (latinText(head, 4, 4) === wanted) return { start: offset + headBytes, end: Math.min(offset + bytes, end) }
    offset += bytes
  }
  return undefined
}
