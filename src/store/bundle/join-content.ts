/** Writes a content from the parts of a bundle to its place: checked, and resumed after an interruption. */
import { mkdir, open } from 'node:fs/promises'
import { dirname } from 'node:path'
import { chunkBytes } from '../chunk-sum.ts'
import { type Disk, realDisk } from '../disk.ts'
import { asDiskError } from '../download/disk-error.ts'
import type { HashThread } from '../download/hash-thread.ts'
import { discardPart, PartFile, partPath, WrongChunk } from '../download/part-file.ts'
import { lockTarget } from '../download/target-lock.ts'
import { renameDurably } from '../durable.ts'
import { MissingPart } from './blob-reader.ts'
import { BundleError } from './manifest.ts'

interface WantedContent {
  readonly sha256: string
  readonly bytes: number
  /** See `ChunkSum`. Undefined if only the whole file has a checksum. */
  readonly chunkSums?: readonly string[] | undefined
}

/** Reader of a content. Does not check it. */
export interface ContentReader extends AsyncDisposable {
  /** Fills `bytes` from this offset of the content. Throws MissingPart, and BundleError that names the bad file. */
  read(bytes: Uint8Array, offset: number): Promise<void>
  /** Returns the paths of the files that hold these bytes. */
  pathsOf(offset: number, bytes: number): readonly string[]
}

interface JoinOptions {
  readonly hashes: HashThread
  readonly signal?: AbortSignal | undefined
  readonly onBytes?: ((bytes: number) => void) | undefined
  readonly disk?: Disk | undefined
}

/**
 * Writes the complete content, checked and flushed, to `<target>.part`. Waits for a download of the same file. Returns
 * the missing parts; copied chunks are kept for the next run. Throws BundleError that names a bad part.
 */
export async function joinContent(
  target: string,
  wanted: WantedContent,
  reader: ContentReader,
  { hashes, signal = new AbortController().signal, onBytes, disk = realDisk }: JoinOptions,
): Promise<readonly string[]> {
  await mkdir(dirname(target), { recursive: true, mode: 0o700 })
  using _ = await lockTarget(target, { signal, onWait: () => undefined })
  try {
    const { sha256, bytes, chunkSums } = wanted
    const identity = { bytes, sha256 }
    const options = { target, identity, chunkBytes, chunkSums, disk, hashes, signal, onHashed: () => undefined }
    await using part = await PartFile.open(options)
    const missing = await copyChunks(part, wanted, reader, { signal, onBytes })
    if (missing.length > 0) return missing
    const sums = await part.end()
    if (sums.sha256 === sha256) return []
    await discardPart(target, disk)
    throw damaged(reader.pathsOf(0, bytes))
  } catch (error) {
    throw await asDiskError(error, target, undefined)
  }
}

/** Gives the content that `joinContent` has written its name, replacing an existing file. */
export async function placeContent(target: string, disk: Disk = realDisk): Promise<void> {
  await renameDurably(partPath(target), target, disk)
  await discardPart(target, disk)
}

/** Returns a reader of a content that is one file of this box. */
export async function fileReader(path: string): Promise<ContentReader> {
  const file = await open(path, 'r')
  return {
    async read(bytes, offset) {
      const { bytesRead } = await file.read(bytes, 0, bytes.length, offset)
      if (bytesRead < bytes.length) throw new BundleError(`${path} became shorter while it was read`)
    },
    pathsOf: () => [path],
    [Symbol.asyncDispose]: () => file.close(),
  }
}

/** Copies the chunks that an earlier run has not copied and whose parts are present. Returns the missing parts. */
async function copyChunks(
  part: PartFile,
  { bytes }: WantedContent,
  reader: ContentReader,
  { signal, onBytes }: Pick<JoinOptions, 'signal' | 'onBytes'>,
): Promise<readonly string[]> {
  const missing = new Set<string>()
  for (let index = 0; index * chunkBytes < bytes; index++) {
    signal?.throwIfAborted()
    const offset = index * chunkBytes
    const chunk = { offset, bytes: Math.min(chunkBytes, bytes - offset) }
    try {
      if (!part.isDone(index)) await copyChunk(part, chunk, reader)
      onBytes?.(chunk.bytes)
    } catch (error) {
      if (error instanceof WrongChunk) throw damaged(reader.pathsOf(chunk.offset, chunk.bytes))
      if (!(error instanceof MissingPart)) throw error
      missing.add(error.path)
    }
  }
  return [...missing]
}

const pieceBytes = 1024 * 1024

interface Chunk {
  readonly offset: number
  readonly bytes: number
}

async function copyChunk(part: PartFile, { offset, bytes }: Chunk, reader: ContentReader): Promise<void> {
  for (let done = 0; done < bytes; done += pieceBytes) {
    const piece = new Uint8Array(Math.min(pieceBytes, bytes - done))
    await reader.read(piece, offset + done)
    await part.write(piece, offset + done)
  }
}

function damaged(paths: readonly string[]): BundleError {
  const files = paths.length === 1 ? `${paths[0]} is` : `one of ${paths.join(', ')} is`
  return new BundleError(
    `${files} damaged: copy it again, or try another disk; 'inferd bundle verify' checks all files`,
  )
}
