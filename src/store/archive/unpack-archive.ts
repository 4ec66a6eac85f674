import { type FileHandle, mkdir, mkdtemp, open, rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { FileError } from '../../catalog/stat-file.ts'
import { realDisk } from '../disk.ts'
import { asDiskError } from '../download/disk-error.ts'
import { replaceFolder } from '../durable.ts'
import { segmentsOf, TakenNames } from './member-names.ts'
import { openArchive } from './open-archive.ts'
import { readTar } from './tar-reader.ts'

export interface UnpackLimits {
  /** Most bytes of all files together. Undefined if unknown. */
  readonly maximumBytes?: number | undefined
  readonly signal?: AbortSignal | undefined
  /** Called with the bytes written so far. */
  readonly onBytes?: ((writtenBytes: number) => void) | undefined
}

interface UnpackedFile {
  /** Path below the target folder, with `/`. */
  readonly name: string
  readonly bytes: number
}

const maximumEntries = 10_000
/** Largest ratio of unpacked to packed bytes. Weights hardly compress, so more is an attempt to fill the disk. */
const maximumRatio = 20
/** Size to which any archive may unpack: the blocks of a small one alone are 10 kB. */
const alwaysAllowedBytes = 4 * 1024 * 1024

/**
 * Unpacks a `.tar`, `.tar.gz` or `.tar.bz2` into the folder `target`, which then holds exactly its files. A common top
 * folder is left out. The files are complete and flushed before the folder gets its name; an existing folder is
 * replaced. Throws FileError if the archive is damaged, too large, or holds anything but plain files and folders with
 * names inside the target; also DiskFullError and the signal's reason. Then nothing has changed.
 */
export async function unpackArchive(
  path: string,
  target: string,
  limits: UnpackLimits = {},
): Promise<readonly UnpackedFile[]> {
  const archive = openArchive(path)
  if (archive === undefined) throw new FileError('is no tar archive')
  const parent = dirname(target)
  await mkdir(parent, { recursive: true, mode: 0o700 })
  const temporary = await mkdtemp(join(parent, `.${basename(target)}.unpacking-`))
  try {
    const streamLimit = Math.max(archive.packedBytes * maximumRatio, alwaysAllowedBytes)
    const tar = bounded(archive.unpacked(), streamLimit, limits.signal)
    const files = await writeEntries(tar, join(temporary, 'new'), limits)
    const top = commonTop(files)
    replaceFolder(target, join(temporary, 'new', ...top))
    await realDisk.flushFolder(parent)
    return files.map(({ segments, bytes }) => ({ name: segments.slice(top.length).join('/'), bytes }))
  } catch (error) {
    const told = await asDiskError(error, target, undefined)
    throw isOfSystem(told) ? new FileError(`cannot be unpacked to ${target}: ${told.message}`) : told
  } finally {
    await rm(temporary, { recursive: true, force: true })
  }
}

interface WrittenFile {
  readonly segments: readonly string[]
  readonly bytes: number
}

async function writeEntries(
  tar: AsyncIterable<Uint8Array>,
  folder: string,
  { maximumBytes = Number.POSITIVE_INFINITY, onBytes }: UnpackLimits,
): Promise<WrittenFile[]> {
  const taken = new TakenNames()
  const files: WrittenFile[] = []
  const folders = new Set<string>([folder])
  let entries = 0
  let announcedBytes = 0
  let writtenBytes = 0
  for await (const { kind, name, sizeBytes, content } of readTar(tar)) {
    if (++entries > maximumEntries) throw new FileError(`holds more than ${maximumEntries} entries`)
    announcedBytes += sizeBytes
    if (announcedBytes > maximumBytes) throw new FileError(`holds more than the ${maximumBytes} bytes that it may hold`)
    const segments = segmentsOf(name)
    if (segments === undefined) continue
    taken.take(segments, kind)
    if (kind === 'file' && segments.length === 0) throw new FileError('holds a file without a name')
    const above = kind === 'file' ? segments.slice(0, -1) : segments
    for (const index of above.keys()) folders.add(join(folder, ...above.slice(0, index + 1)))
    await mkdir(join(folder, ...above), { recursive: true, mode: 0o700 })
    if (kind === 'folder') continue
    await writeFile(join(folder, ...segments), content, (count) => {
      writtenBytes += count
      onBytes?.(writtenBytes)
    })
    files.push({ segments, bytes: sizeBytes })
  }
  if (files.length === 0) throw new FileError('holds no files')
  for (const each of folders) await realDisk.flushFolder(each)
  return files
}

async function writeFile(
  path: string,
  content: AsyncIterable<Uint8Array>,
  onBytes: (count: number) => void,
): Promise<void> {
  await using file = await open(path, 'wx', 0o600)
  for await (const piece of content) {
    await writeAll(file, piece)
    onBytes(piece.length)
  }
  await file.sync()
}

async function writeAll(file: FileHandle, piece: Uint8Array): Promise<void> {
  for (let written = 0; written < piece.length; ) {
    written += (await file.write(piece, written)).bytesWritten
  }
}

/** Returns the folder that contains all files, empty if there is none. */
function commonTop(files: readonly WrittenFile[]): string[] {
  const tops = new Set(files.map(({ segments }) => (segments.length > 1 ? segments[0] : undefined)))
  const [top] = tops
  return tops.size === 1 && top !== undefined ? [top] : []
}

async function* bounded(
  bytes: AsyncIterable<Uint8Array>,
  limitBytes: number,
  signal: AbortSignal | undefined,
): AsyncGenerator<Uint8Array> {
  let total = 0
  for await (const piece of bytes) {
    signal?.throwIfAborted()
    total += piece.length
    if (total > limitBytes) throw new FileError(`unpacks to more than ${maximumRatio} times its size`)
    yield piece
  }
}

function isOfSystem(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && 'syscall' in error
}
