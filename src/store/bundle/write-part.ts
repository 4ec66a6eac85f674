import { createHash } from 'node:crypto'
import { mkdir, open, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { type Disk, realDisk } from '../disk.ts'
import { asDiskError } from '../download/disk-error.ts'
import { renameDurably } from '../durable.ts'
import { piecesOf } from '../hash-file.ts'
import { dropFromCache } from '../libc.ts'
import { BundleError } from './manifest.ts'

interface PartSource {
  /** Reads up to `bytes.length` bytes of the content. */
  readonly read: (bytes: Uint8Array, offset: number) => Promise<number>
  readonly offset: number
  readonly bytes: number
}

interface PartOptions {
  readonly signal?: AbortSignal | undefined
  /** Receives the content once, in order. */
  readonly onPiece: (piece: Uint8Array) => void
  readonly disk?: Disk
}

const pieceBytes = 1024 * 1024

/**
 * Makes the file at `target` hold this part of a content; a file that holds it already stays. The file gets its name
 * once it is complete and flushed. Returns its checksum and whether it was written. Throws BundleError if the content
 * ends early, and the system's errors.
 */
export async function writePart(target: string, source: PartSource, options: PartOptions) {
  const { disk = realDisk } = options
  const found = await stat(target).catch(() => undefined) // not there yet: the usual case
  if (found?.isFile() && found.size === source.bytes) {
    const sha256 = await eachPiece(source, options)
    if (sha256 === (await sumOf(target, options.signal))) return { sha256, isWritten: false }
    await copyPart(target, source, { ...options, onPiece: () => undefined, disk })
    return { sha256, isWritten: true }
  }
  return { sha256: await copyPart(target, source, { ...options, disk }), isWritten: true }
}

async function copyPart(target: string, source: PartSource, options: PartOptions & { readonly disk: Disk }) {
  const { disk } = options
  const temporary = `${target}.tmp`
  await mkdir(dirname(target), { recursive: true })
  await disk.remove(temporary)
  try {
    const sha256 = await writeFlushed(temporary, source, options)
    await renameDurably(temporary, target, disk)
    return sha256
  } catch (error) {
    await disk.remove(temporary)
    throw await asDiskError(error, target, source.bytes)
  }
}

async function writeFlushed(path: string, source: PartSource, options: PartOptions & { readonly disk: Disk }) {
  await using file = await options.disk.open(path)
  const sha256 = await eachPiece(source, options, (piece, offset) => file.write(piece, offset))
  await file.flush()
  file.forget(0, source.bytes)
  return sha256
}

async function eachPiece(
  { read, offset, bytes }: PartSource,
  { signal, onPiece }: PartOptions,
  write?: (piece: Uint8Array, offset: number) => Promise<void>,
): Promise<string> {
  const hash = createHash('sha256')
  const buffer = new Uint8Array(pieceBytes)
  for (let done = 0; done < bytes; ) {
    signal?.throwIfAborted()
    const count = await read(buffer.subarray(0, Math.min(pieceBytes, bytes - done)), offset + done)
    if (count === 0) throw new BundleError('a file became shorter while it was read; try again')
    const piece = buffer.subarray(0, count)
    hash.update(piece)
    onPiece(piece)
    await write?.(piece, done)
    done += count
  }
  return hash.digest('hex')
}

async function sumOf(path: string, signal: AbortSignal | undefined): Promise<string> {
  await using file = await open(path, 'r')
  const { size } = await file.stat()
  // Cached pages do not show the state of the disk.
  dropFromCache(file.fd, 0, size)
  const hash = createHash('sha256')
  for await (const piece of piecesOf(file, signal)) hash.update(piece)
  return hash.digest('hex')
}
