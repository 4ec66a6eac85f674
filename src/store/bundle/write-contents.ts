import { mkdir, open } from 'node:fs/promises'
import { join } from 'node:path'
import { FileError, statFile } from '../../catalog/stat-file.ts'
import { sizeText } from '../../core/quantities.ts'
import { realDisk } from '../disk.ts'
import { RunningSums } from '../hash-file.ts'
import { partPath } from './layout.ts'
import { type Blob, BundleError } from './manifest.ts'
import type { Content, PlannedPart } from './plan-volumes.ts'
import { writePart } from './write-part.ts'

interface ContentsToWrite {
  readonly contents: readonly Content[]
  readonly parts: readonly PlannedPart[]
  /** One folder per disk. */
  readonly folders: readonly string[]
  /** Path of each content by checksum. */
  readonly paths: ReadonlyMap<string, string>
}

interface WriteOptions {
  readonly signal?: AbortSignal | undefined
  readonly onBytes?: ((doneBytes: number, totalBytes: number) => void) | undefined
}

interface WrittenContents {
  readonly blobs: readonly Blob[]
  readonly writtenBytes: number
  /** Bytes of parts that existed already. */
  readonly keptBytes: number
}

/** Writes the missing parts. Throws BundleError if a file differs from its lock or a disk is too small. */
export async function writeContents(wanted: ContentsToWrite, options: WriteOptions): Promise<WrittenContents> {
  const { contents, parts, folders } = wanted
  for (const folder of folders) await mkdir(folder, { recursive: true })
  for (const [volume, folder] of folders.entries()) {
    const own = parts.filter((part) => part.volume === volume)
    await requireRoom(folder, missingBytes(own, folder))
  }
  const totalBytes = parts.reduce((sum, { bytes }) => sum + bytes, 0)
  const blobs: Blob[] = []
  let doneBytes = 0
  let writtenBytes = 0
  for (const content of contents) {
    const own = parts.filter(({ sha256 }) => sha256 === content.sha256)
    blobs.push(await writeContent(content, own))
  }
  return { blobs, writtenBytes, keptBytes: totalBytes - writtenBytes }

  async function writeContent({ sha256, bytes }: Content, own: readonly PlannedPart[]): Promise<Blob> {
    const path = wanted.paths.get(sha256)
    if (path === undefined) throw new Error(`nothing is known of ${sha256}: this is a bug`)
    await using file = await open(path, 'r')
    const read = async (piece: Uint8Array, offset: number) =>
      (await file.read(piece, 0, piece.length, offset)).bytesRead
    const sums = new RunningSums()
    const onPiece = (piece: Uint8Array) => {
      sums.add(piece)
      doneBytes += piece.length
      options.onBytes?.(doneBytes, totalBytes)
    }
    const written: Blob['parts'] = []
    for (const part of own) {
      const target = join(folders[part.volume] ?? '', partPath(sha256, part.index))
      const result = await writePart(target, { read, ...part }, { signal: options.signal, onPiece })
      if (result.isWritten) writtenBytes += part.bytes
      written.push({ sha256: result.sha256, bytes: part.bytes })
    }
    if (sums.end().sha256 !== sha256) {
      throw new BundleError(
        `${path} is not what its lock says: it was changed or is damaged; 'inferd verify' tells more`,
      )
    }
    return { sha256, bytes, parts: written }
  }
}

function missingBytes(parts: readonly PlannedPart[], folder: string): number {
  const missing = parts.filter((part) => {
    const found = statFile(join(folder, partPath(part.sha256, part.index)))
    return found === undefined || found instanceof FileError || found.size !== part.bytes
  })
  return missing.reduce((sum, { bytes }) => sum + bytes, 0)
}

/** Requires free space for the bundle on a disk, which the bundle may fill completely. */
async function requireRoom(folder: string, neededBytes: number): Promise<void> {
  const { freeBytes } = await realDisk.room(folder)
  if (freeBytes >= neededBytes) return
  const advice = 'make room, or spread the bundle with --volume-size'
  throw new BundleError(`${folder} has ${sizeText(freeBytes)} free and needs ${sizeText(neededBytes)}; ${advice}`)
}
