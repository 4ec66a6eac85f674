import { readSync } from 'node:fs'

interface ElfSection {
  readonly name: string
  readonly offset: number
  readonly sizeBytes: number
}

const headerBytes = 64
/** First bytes of 64-bit, little-endian ELF files: 0x7f, "ELF", 64 bits, little-endian. */
const magic = [0x7f, 0x45, 0x4c, 0x46, 2, 1]
const sectionHeaderBytes = 64

/** Returns the sections of an open library, program or object file; undefined if it is no file of 64-bit Linux. */
export function readElfSections(descriptor: number): ElfSection[] | undefined {
  const header = readBytes(descriptor, 0, headerBytes)
  if (header.length < headerBytes || magic.some((byte, index) => header[index] !== byte)) return undefined
  const table = Number(header.readBigUInt64LE(0x28))
  const entryBytes = header.readUInt16LE(0x3a)
  const count = header.readUInt16LE(0x3c)
  const namesIndex = header.readUInt16LE(0x3e)
  if (entryBytes < sectionHeaderBytes) return []
  const bytes = readBytes(descriptor, table, count * entryBytes)
  const headers = Array.from({ length: Math.floor(bytes.length / entryBytes) }, (_, index) => {
    const at = index * entryBytes
    return {
      nameAt: bytes.readUInt32LE(at),
      offset: Number(bytes.readBigUInt64LE(at + 0x18)),
      sizeBytes: Number(bytes.readBigUInt64LE(at + 0x20)),
    }
  })
  const names = headers[namesIndex]
  if (names === undefined) return []
  const text = readBytes(descriptor, names.offset, names.sizeBytes).toString('latin1')
  return headers.map(({ nameAt, offset, sizeBytes }) => ({
    name: text.slice(nameAt, Math.max(nameAt, text.indexOf('\0', nameAt))),
    offset,
    sizeBytes,
  }))
}

/** Returns up to `sizeBytes` bytes; fewer at the end of the file. */
export function readBytes(descriptor: number, offset: number, sizeBytes: number): Buffer {
  const bytes = Buffer.alloc(sizeBytes)
  let read = 0
  while (read < sizeBytes) {
    const got = readSync(descriptor, bytes, read, sizeBytes - read, offset + read)
    if (got === 0) break
    read += got
  }
  return bytes.subarray(0, read)
}
