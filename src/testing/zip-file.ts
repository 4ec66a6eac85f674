/** Writes zip files for tests, including wrong ones. */
import { crc32, deflateRawSync } from 'node:zlib'

export interface ZipEntry {
  readonly name: string
  readonly content: Uint8Array
  /** True to put sizes and offsets into the extra fields of zip64. */
  readonly isZip64?: boolean
  readonly isStored?: boolean
  /** Size in the directory instead of the true one. */
  readonly saidBytes?: number
  readonly saidCrc32?: number
  readonly isEncrypted?: boolean
}

const unknown = 0xffffffff

export function zipFile(entries: readonly ZipEntry[]): Buffer {
  const parts: Buffer[] = []
  const directory: Buffer[] = []
  let offset = 0
  for (const entry of entries) {
    const packed = entry.isStored === true ? Buffer.from(entry.content) : deflateRawSync(entry.content)
    const name = Buffer.from(entry.name)
    const local = Buffer.alloc(30)
    local.writeUInt32LE(0x04034b50, 0)
    local.writeUInt16LE(name.length, 26)
    directory.push(directoryEntry(entry, { packedBytes: packed.length, offset }))
    parts.push(local, name, packed)
    offset += 30 + name.length + packed.length
  }
  const list = Buffer.concat(directory)
  const end = Buffer.alloc(22)
  end.writeUInt32LE(0x06054b50, 0)
  if (!entries.some(({ isZip64 }) => isZip64)) {
    end.writeUInt32LE(list.length, 12)
    end.writeUInt32LE(offset, 16)
    return Buffer.concat([...parts, list, end])
  }
  const wide = Buffer.alloc(56 + 20)
  wide.writeUInt32LE(0x06064b50, 0)
  wide.writeBigUInt64LE(BigInt(list.length), 40)
  wide.writeBigUInt64LE(BigInt(offset), 48)
  wide.writeUInt32LE(0x07064b50, 56)
  wide.writeBigUInt64LE(BigInt(offset + list.length), 64)
  end.writeUInt32LE(unknown, 12)
  end.writeUInt32LE(unknown, 16)
  return Buffer.concat([...parts, list, wide, end])
}

function directoryEntry(entry: ZipEntry, { packedBytes, offset }: { packedBytes: number; offset: number }): Buffer {
  const name = Buffer.from(entry.name)
  const bytes = entry.saidBytes ?? entry.content.length
  const head = Buffer.alloc(46)
  head.writeUInt32LE(0x02014b50, 0)
  head.writeUInt16LE(entry.isEncrypted === true ? 1 : 0, 8)
  head.writeUInt16LE(entry.isStored === true ? 0 : 8, 10)
  head.writeUInt32LE(entry.saidCrc32 ?? crc32(entry.content), 16)
  head.writeUInt16LE(name.length, 28)
  const extra = entry.isZip64 === true ? Buffer.alloc(28) : Buffer.alloc(0)
  if (entry.isZip64 === true) {
    extra.writeUInt16LE(1, 0)
    extra.writeUInt16LE(24, 2)
    for (const [index, value] of [bytes, packedBytes, offset].entries())
      extra.writeBigUInt64LE(BigInt(value), 4 + index * 8)
  }
  const field = (value: number) => (entry.isZip64 === true ? unknown : value)
  head.writeUInt32LE(field(packedBytes), 20)
  head.writeUInt32LE(field(bytes), 24)
  head.writeUInt16LE(extra.length, 30)
  head.writeUInt32LE(field(offset), 42)
  return Buffer.concat([head, name, extra])
}
