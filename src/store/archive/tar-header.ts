/** Header blocks of tar archives: ustar, GNU and the older form without a magic number. Pure. */
import { FileError } from '../../catalog/stat-file.ts'

export const blockBytes = 512

export interface TarHeader {
  readonly name: string
  /** One character: `0` or NUL for a file, `5` for a folder, others in `tar-reader.ts`. */
  readonly type: string
  readonly sizeBytes: number
}

const fields = {
  name: [0, 100],
  size: [124, 12],
  checksum: [148, 8],
  type: [156, 1],
  magic: [257, 6],
  prefix: [345, 155],
} as const

/** Parses a header. Returns undefined for a block of zeros, which ends an archive. Throws FileError. */
export function parseTarHeader(block: Uint8Array): TarHeader | undefined {
  if (block.every((byte) => byte === 0)) return undefined
  const field = (name: keyof typeof fields) => {
    const [start, length] = fields[name]
    return block.subarray(start, start + length)
  }
  const [checksumStart, checksumLength] = fields.checksum
  const isChecksum = (index: number) => index >= checksumStart && index < checksumStart + checksumLength
  const sum = block.reduce((total, byte, index) => total + (isChecksum(index) ? 32 : byte), 0)
  if (numberOf(field('checksum')) !== sum) throw new FileError('is damaged: the checksum of a header is wrong')
  const isUstar = textOf(field('magic')).trimEnd() === 'ustar'
  // GNU uses the prefix's bytes for other fields, and ends its magic number with blanks.
  const isPosix = isUstar && field('magic')[5] === 0
  const prefix = isPosix ? textOf(field('prefix')) : ''
  const name = textOf(field('name'))
  return {
    name: prefix === '' ? name : `${prefix}/${name}`,
    type: String.fromCharCode(block[fields.type[0]] ?? 0),
    sizeBytes: numberOf(field('size')),
  }
}

/** Returns whether the first block of a file is a tar header. */
export function isTarHeader(block: Uint8Array): boolean {
  try {
    return block.length === blockBytes && parseTarHeader(block) !== undefined
  } catch {
    return false // some other kind of file
  }
}

/** Returns a name that fills an entry or a field and ends at the first NUL. Throws FileError unless it is UTF-8. */
export function textOf(bytes: Uint8Array): string {
  const end = bytes.indexOf(0)
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(end < 0 ? bytes : bytes.subarray(0, end))
  } catch {
    throw new FileError('holds a name that is not UTF-8')
  }
}

/** Parses octal digits, or GNU's binary form of large numbers. */
function numberOf(bytes: Uint8Array): number {
  const [first = 0, ...rest] = bytes
  if ((first & 0x80) === 0) {
    const digits = /^ *([0-7]{1,12})[ \0]*$/.exec(String.fromCharCode(...bytes))?.[1]
    if (digits === undefined) throw new FileError('is damaged: a header holds no number where one must be')
    return Number.parseInt(digits, 8)
  }
  const value = first === 0x80 ? rest.reduce((number, byte) => number * 256 + byte, 0) : Number.NaN
  if (!Number.isSafeInteger(value)) throw new FileError('is damaged: a size in a header is negative or too large')
  return value
}
