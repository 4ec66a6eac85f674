/** Reads a shared library's own name from the headers that the loader reads too. */
import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs'

/** First bytes of ELF files: 0x7f, "ELF", 64 bits, little-endian, version 1. */
const magic = [0x7f, 0x45, 0x4c, 0x46, 2, 1, 1]
const headerBytes = 64
const programHeaderBytes = 56
const sharedObject = 3
/** `e_machine` of x86_64. */
const machine = 62
const segment = { load: 1, dynamic: 2 } as const
const tag = { end: 0n, strings: 5n, soname: 14n } as const
const mostHeaders = 256
const mostDynamicBytes = 64 * 1024
const mostNameBytes = 256

/**
 * Returns the DT_SONAME of a shared library for this machine. Undefined for any other file: unreadable, for another
 * architecture or 32 bits, incomplete, a linker script, or without a name.
 */
export function readSoname(path: string): string | undefined {
  let descriptor: number
  try {
    // Non-blocking, since opening a named pipe would otherwise wait until somebody writes.
    descriptor = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)
  } catch {
    return undefined
  }
  try {
    return fstatSync(descriptor).isFile() ? sonameOf(descriptor) : undefined
  } catch {
    return undefined // cut short, or a disk that fails
  } finally {
    closeSync(descriptor)
  }
}

function sonameOf(descriptor: number): string | undefined {
  const header = readExactly(descriptor, 0n, headerBytes)
  if (magic.some((byte, index) => header[index] !== byte)) return undefined
  if (header.readUInt16LE(16) !== sharedObject || header.readUInt16LE(18) !== machine) return undefined
  const count = header.readUInt16LE(56)
  if (header.readUInt16LE(54) !== programHeaderBytes || count > mostHeaders) return undefined
  const table = readExactly(descriptor, header.readBigUInt64LE(32), count * programHeaderBytes)
  const segments = Array.from({ length: count }, (_, index) => segmentAt(table, index * programHeaderBytes))
  if (segments.some(({ type, end }) => type === segment.load && end > fstatSync(descriptor, { bigint: true }).size))
    return undefined
  const dynamic = segments.find(({ type }) => type === segment.dynamic)
  if (dynamic === undefined || dynamic.fileBytes > mostDynamicBytes) return undefined
  const values = dynamicValues(readExactly(descriptor, dynamic.offset, Number(dynamic.fileBytes)))
  const [strings, nameAt] = [values.get(tag.strings), values.get(tag.soname)]
  if (strings === undefined || nameAt === undefined) return undefined
  const address = strings + nameAt
  const holder = segments.find(
    ({ type, address: start, fileBytes }) => type === segment.load && address >= start && address < start + fileBytes,
  )
  if (holder === undefined) return undefined
  const bytes = Buffer.alloc(mostNameBytes)
  const got = readSync(descriptor, bytes, 0, mostNameBytes, holder.offset + address - holder.address)
  const end = bytes.subarray(0, got).indexOf(0)
  return end > 0 ? bytes.toString('latin1', 0, end) : undefined
}

function segmentAt(table: Buffer, at: number) {
  const offset = table.readBigUInt64LE(at + 8)
  const fileBytes = table.readBigUInt64LE(at + 32)
  return {
    type: table.readUInt32LE(at),
    offset,
    address: table.readBigUInt64LE(at + 16),
    fileBytes,
    end: offset + fileBytes,
  }
}

function dynamicValues(bytes: Buffer): Map<bigint, bigint> {
  const values = new Map<bigint, bigint>()
  for (let at = 0; at + 16 <= bytes.length; at += 16) {
    const key = bytes.readBigUInt64LE(at)
    if (key === tag.end) break
    values.set(key, bytes.readBigUInt64LE(at + 8))
  }
  return values
}

function readExactly(descriptor: number, offset: bigint, sizeBytes: number): Buffer {
  const bytes = Buffer.alloc(sizeBytes)
  if (readSync(descriptor, bytes, 0, sizeBytes, offset) < sizeBytes) throw new Error('the file is cut short')
  return bytes
}
