import type { FileBytes } from './file-bytes.ts'

/** Ids of elements, including their length marks (RFC 8794, RFC 9559). */
const ids = { segment: 0x18538067, info: 0x1549a966, cluster: 0x1f43b675 } as const
const infoIds = { timestampScale: 0x2ad7b1, duration: 0x4489 } as const
const defaultScaleNanoseconds = 1_000_000
/** Most elements that are read. Seek tables, padding and tracks may come before the one that counts. */
const elementLimit = 200

/**
 * Returns the duration in its scale, from the segment's information; undefined for live recordings, which have none.
 */
export function webmLengthSeconds(file: FileBytes, startByte: number): number | undefined {
  const segment = findElement(file, ids.segment, startByte, file.sizeBytes)
  const info = segment && findElement(file, ids.info, segment.start, segment.end)
  if (info === undefined) return undefined
  const duration = findElement(file, infoIds.duration, info.start, info.end)
  if (duration === undefined) return undefined
  const scale = findElement(file, infoIds.timestampScale, info.start, info.end)
  const scaleNanoseconds = scale === undefined ? defaultScaleNanoseconds : readUnsigned(file, scale)
  return (readFloat(file, duration) * scaleNanoseconds) / 1e9
}

interface Element {
  readonly start: number
  readonly end: number
}

function findElement(file: FileBytes, wanted: number, start: number, end: number): Element | undefined {
  let offset = start
  for (let element = 0; element < elementLimit && offset < end; element++) {
    const id = readVariable(file, offset, 4)
    const size = id && readVariable(file, offset + id.bytes, 8)
    if (id === undefined || size === undefined || id.marked === ids.cluster) return undefined
    const content = offset + id.bytes + size.bytes
    const isUnknown = size.value === 2 ** (7 * size.bytes) - 1
    const contentEnd = isUnknown ? end : content + size.value
    if (id.marked === wanted) return { start: content, end: Math.min(contentEnd, end) }
    offset = contentEnd
  }
  return undefined
}

/** Returns a number whose first bits state its size in bytes. `marked` includes those bits, as ids do. */
export function readVariable(file: FileBytes, offset: number, limitBytes: number) {
  const view = file.read(offset, 8)
  if (view.byteLength === 0) return undefined
  const bytes = Math.clz32(view.getUint8(0)) - 23
  if (bytes > limitBytes || bytes > view.byteLength) return undefined
  let [marked, value] = [view.getUint8(0), view.getUint8(0) & (0xff >> bytes)]
  for (let at = 1; at < bytes; at++) {
    marked = marked * 256 + view.getUint8(at)
    value = value * 256 + view.getUint8(at)
  }
  return { bytes, marked, value }
}

function readUnsigned(file: FileBytes, { start, end }: Element): number {
  const view = file.read(start, Math.min(end - start, 8))
  let value = 0
  for (let at = 0; at < view.byteLength; at++) value = value * 256 + view.getUint8(at)
  return value
}

function readFloat(file: FileBytes, { start, end }: Element): number {
  const view = file.read(start, Math.min(end - start, 8))
  if (view.byteLength === 4) return view.getFloat32(0)
  return view.byteLength === 8 ? view.getFloat64(0) : Number.NaN
}
