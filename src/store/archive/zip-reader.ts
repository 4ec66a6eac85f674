/** Reads zip files by their central directory, zip64 included. Members are unpacked piece by piece. */
import { type FileHandle, open } from 'node:fs/promises'
import { pipeline } from 'node:stream/promises'
import { crc32, createInflateRaw } from 'node:zlib'

/** A zip file that cannot be read; the message completes "<file> …". */
export class ZipError extends Error {
  override name = 'ZipError'
}

export interface ZipMember {
  /** Path as the archive writes it: not checked. */
  readonly name: string
  readonly bytes: number
  readonly packedBytes: number
  readonly crc32: number
  /** Compression method: 0 is stored, 8 is deflate. */
  readonly method: number
  readonly isEncrypted: boolean
  readonly headerOffset: number
}

const signature = { member: 0x04034b50, entry: 0x02014b50, end: 0x06054b50, end64: 0x06064b50, locator: 0x07064b50 }
const endBytes = 22
const longestComment = 65_535
const entryBytes = 46
const locatorBytes = 20
/** Largest central directory: 1 MiB holds some 10,000 members. */
const directoryLimitBytes = 16 * 1024 * 1024
const unknown32 = 0xffffffff
const pieceBytes = 1024 * 1024

export class ZipReader implements AsyncDisposable {
  readonly members: readonly ZipMember[]
  readonly #file: FileHandle

  private constructor(file: FileHandle, members: readonly ZipMember[]) {
    this.#file = file
    this.members = members
  }

  /** Opens a zip file. Throws ZipError and the system's errors. */
  static async open(path: string): Promise<ZipReader> {
    const file = await open(path, 'r')
    try {
      return new ZipReader(file, await readDirectory(file))
    } catch (error) {
      await file.close()
      throw error
    }
  }

  /** Yields the content of a member in pieces. Throws ZipError as soon as it differs from the directory. */
  async *read(member: ZipMember): AsyncGenerator<Uint8Array> {
    if (member.isEncrypted) throw new ZipError(`holds ${member.name} encrypted`)
    if (member.method !== 0 && member.method !== 8)
      throw new ZipError(`packs ${member.name} by a method that is not known (${member.method})`)
    let bytes = 0
    let sum = 0
    for await (const piece of this.#unpacked(member)) {
      bytes += piece.length
      if (bytes > member.bytes) throw new ZipError(`is damaged: ${member.name} is longer than it says`)
      sum = crc32(piece, sum)
      yield piece
    }
    if (bytes !== member.bytes || sum !== member.crc32) throw new ZipError(`is damaged: ${member.name} is not whole`)
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#file.close()
  }

  async *#unpacked(member: ZipMember): AsyncGenerator<Uint8Array> {
    const packed = this.#packed(member)
    if (member.method === 0) return yield* packed
    const inflate = createInflateRaw()
    // A failure of the pipeline destroys `inflate`, which then throws it.
    const feeding = pipeline(packed, inflate).catch(() => undefined)
    try {
      yield* inflate as AsyncIterable<Uint8Array>
    } catch (error) {
      if (error instanceof ZipError) throw error
      throw new ZipError(`is damaged: ${member.name} cannot be unpacked`, { cause: error })
    } finally {
      inflate.destroy()
      await feeding
    }
  }

  async *#packed({ name, headerOffset, packedBytes }: ZipMember): AsyncGenerator<Uint8Array> {
    const header = await readAt(this.#file, headerOffset, 30)
    if (header.readUInt32LE(0) !== signature.member) throw new ZipError(`is damaged: ${name} is not where it says`)
    const start = headerOffset + 30 + header.readUInt16LE(26) + header.readUInt16LE(28)
    for (let done = 0; done < packedBytes; done += pieceBytes)
      yield await readAt(this.#file, start + done, Math.min(pieceBytes, packedBytes - done))
  }
}

async function readDirectory(file: FileHandle): Promise<ZipMember[]> {
  const { size } = await file.stat()
  const tailBytes = Math.min(size, endBytes + longestComment)
  const tail = await readAt(file, size - tailBytes, tailBytes)
  const at = lastEnd(tail)
  if (at === undefined) throw new ZipError('is not a zip file, or not whole')
  const place = await directoryPlace(file, tail, { at, endOffset: size - tailBytes + at })
  if (place.bytes > directoryLimitBytes || place.offset + place.bytes > size)
    throw new ZipError('is damaged: its list of members is not there')
  return membersOf(await readAt(file, place.offset, place.bytes))
}

function lastEnd(tail: Buffer): number | undefined {
  for (let at = tail.length - endBytes; at >= 0; at--)
    if (tail.readUInt32LE(at) === signature.end && at + endBytes + tail.readUInt16LE(at + 20) === tail.length) return at
  return undefined
}

async function directoryPlace(
  file: FileHandle,
  tail: Buffer,
  { at, endOffset }: { readonly at: number; readonly endOffset: number },
): Promise<{ readonly offset: number; readonly bytes: number }> {
  const [bytes, offset] = [tail.readUInt32LE(at + 12), tail.readUInt32LE(at + 16)]
  if (bytes !== unknown32 && offset !== unknown32) return { offset, bytes }
  if (endOffset < locatorBytes) throw new ZipError('is damaged: its end is not there')
  const locator = await readAt(file, endOffset - locatorBytes, locatorBytes)
  if (locator.readUInt32LE(0) !== signature.locator) throw new ZipError('is damaged: its end is not there')
  const end64At = Number(locator.readBigUInt64LE(8))
  if (end64At > endOffset) throw new ZipError('is damaged: its end is not there')
  const end = await readAt(file, end64At, 56)
  if (end.readUInt32LE(0) !== signature.end64) throw new ZipError('is damaged: its end is not there')
  return { bytes: Number(end.readBigUInt64LE(40)), offset: Number(end.readBigUInt64LE(48)) }
}

function membersOf(directory: Buffer): ZipMember[] {
  const members: ZipMember[] = []
  for (let at = 0; at + entryBytes <= directory.length; ) {
    if (directory.readUInt32LE(at) !== signature.entry) break
    const [nameBytes, extraBytes, commentBytes] = [28, 30, 32].map((field) => directory.readUInt16LE(at + field))
    const end = at + entryBytes + (nameBytes ?? 0) + (extraBytes ?? 0) + (commentBytes ?? 0)
    if (end > directory.length) throw new ZipError('is damaged: its list of members is cut short')
    const extra = directory.subarray(at + entryBytes + (nameBytes ?? 0), end - (commentBytes ?? 0))
    members.push({
      name: directory.toString('utf8', at + entryBytes, at + entryBytes + (nameBytes ?? 0)),
      isEncrypted: (directory.readUInt16LE(at + 8) & 1) === 1,
      method: directory.readUInt16LE(at + 10),
      crc32: directory.readUInt32LE(at + 16),
      ...sizesOf(directory, at, extra),
    })
    at = end
  }
  return members
}

/** Reads a member's sizes. If a field is all ones, the size is in the zip64 extra field, in this order. */
function sizesOf(directory: Buffer, at: number, extra: Buffer) {
  const wide = zip64Values(extra)
  const size = (place: number) => {
    const value = directory.readUInt32LE(at + place)
    return value === unknown32 ? wide.next() : value
  }
  const bytes = size(24)
  const packedBytes = size(20)
  return { bytes, packedBytes, headerOffset: size(42) }
}

function zip64Values(extra: Buffer): { next(): number } {
  let [at, end] = [0, 0]
  for (let field = 0; field + 4 <= extra.length; ) {
    const sizeBytes = extra.readUInt16LE(field + 2)
    if (extra.readUInt16LE(field) === 1) [at, end] = [field + 4, Math.min(field + 4 + sizeBytes, extra.length)]
    field += 4 + sizeBytes
  }
  return {
    next() {
      if (at + 8 > end) throw new ZipError('is damaged: a size is missing')
      const value = Number(extra.readBigUInt64LE(at))
      at += 8
      if (!Number.isSafeInteger(value)) throw new ZipError('is damaged: a size is too large')
      return value
    },
  }
}

async function readAt(file: FileHandle, offset: number, sizeBytes: number): Promise<Buffer> {
  const bytes = Buffer.alloc(sizeBytes)
  let done = 0
  while (done < sizeBytes) {
    const { bytesRead } = await file.read(bytes, done, sizeBytes - done, offset + done)
    if (bytesRead === 0) throw new ZipError('is cut short')
    done += bytesRead
  }
  return bytes
}
