import { type FileBytes, latinText } from './file-bytes.ts'

/** Files have some dozen chunks; one that has more lies. */
const chunkLimit = 200

/** Bytes of the samples by bytes a second. A size that the file cannot hold, as streams have it, counts up to the end. */
export function wavLengthSeconds(file: FileBytes, startByte: number): number | undefined {
  let bytesPerSecond = 0
  let offset = startByte + 12
  for (let chunk = 0; chunk < chunkLimit; chunk++) {
    const head = file.read(offset, 8)
    if (head.byteLength < 8) return undefined
    const [name, size] = [latinText(head, 0, 4), head.getUint32(4, true)]
    const content = offset + 8
    if (name === 'fmt ' && size >= 12) {
      const format = file.read(content, 12)
      if (format.byteLength === 12) bytesPerSecond = format.getUint32(8, true)
    }
    // RF64 has the real size elsewhere, and this one is as large as it can be.
    if (name === 'data') return Math.min(size || 0xffff_ffff, file.sizeBytes - content) / bytesPerSecond
    offset = content + size + (size % 2)
  }
  return undefined
}
