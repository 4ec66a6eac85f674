/** Writes a content from the parts of a bundle into its place: once, checked, and able to go on after an interruption. */
import { createHash, type Hash } from 'node:crypto'
import { chmod, mkdir, open, readFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { isObject } from '../../core/json.ts'
import { type Disk, type DiskFile, realDisk } from '../disk.ts'
import { renameDurably, writeDurably } from '../durable.ts'
import { chunkBytes } from '../lock.ts'
import { MissingPart } from './blob-reader.ts'
import { BundleError } from './manifest.ts'

export interface WantedContent {
  readonly sha256: string
  readonly bytes: number
  /** Of each 64 MiB; undefined: the whole alone has a sum. */
  readonly chunkSha256?: readonly string[] | undefined
}

/** Gives a content, unchecked. */
export interface ContentReader extends AsyncDisposable {
  /** Fills `bytes` from this place of the content. Throws MissingPart, and BundleError that names the file that is bad. */
  read(bytes: Uint8Array, offset: number): Promise<void>
  /** The files that hold these bytes. */
  pathsOf(offset: number, bytes: number): readonly string[]
}

export interface JoinOptions {
  readonly signal?: AbortSignal | undefined
  readonly onBytes?: ((bytes: number) => void) | undefined
  readonly disk?: Disk | undefined
  /** Of the file once it is in place; its owner's alone without. */
  readonly mode?: number
}

/** Reads a content that lies in one file of this box. */
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

/** Beside the part file: which chunks of it are on the disk. */
interface Note {
  readonly sha256: string
  readonly chunks: readonly number[]
}

/**
 * Puts the content to `target`, replacing what is there. Returns the parts that are missing: the content is then not in place,
 * but what there was is kept in `<target>.part` for the next run. Throws BundleError that names a part that is bad.
 */
export async function joinContent(
  target: string,
  wanted: WantedContent,
  reader: ContentReader,
  { signal, onBytes, disk = realDisk, mode }: JoinOptions = {},
): Promise<readonly string[]> {
  const partFile = `${target}.part`
  const notePath = `${partFile}.json`
  await mkdir(dirname(target), { recursive: true, mode: 0o700 })
  const done = await readNote(notePath, wanted.sha256)
  const missing = new Set<string>()
  const file = await disk.open(partFile)
  try {
    await file.reserve(wanted.bytes)
    let whole = createHash('sha256')
    for (let index = 0; index * chunkBytes < wanted.bytes; index++) {
      signal?.throwIfAborted()
      const offset = index * chunkBytes
      const bytes = Math.min(chunkBytes, wanted.bytes - offset)
      const chunk = { file, offset, bytes, sha256: wanted.chunkSha256?.[index] }
      try {
        const written = done.has(index) ? await readBack(chunk, whole) : undefined
        whole = written ?? (await copyChunk(chunk, reader, whole))
      } catch (error) {
        if (!(error instanceof MissingPart)) throw error
        missing.add(error.path)
        continue
      }
      done.add(index)
      await writeDurably(notePath, JSON.stringify({ sha256: wanted.sha256, chunks: [...done] } satisfies Note), disk)
      onBytes?.(bytes)
    }
    if (missing.size > 0) return [...missing]
    if (whole.digest('hex') !== wanted.sha256) {
      await disk.remove(notePath)
      throw damaged(reader.pathsOf(0, wanted.bytes))
    }
  } finally {
    await file.close()
  }
  if (mode !== undefined) await chmod(partFile, mode)
  await renameDurably(partFile, target, disk)
  await disk.remove(notePath)
  return []
}

interface Chunk {
  readonly file: DiskFile
  readonly offset: number
  readonly bytes: number
  readonly sha256: string | undefined
}

const pieceBytes = 1024 * 1024

/** The sum of the whole after a chunk of an earlier run; undefined when the chunk is not what it must be. */
async function readBack({ file, offset, bytes, sha256 }: Chunk, before: Hash): Promise<Hash | undefined> {
  const hash = createHash('sha256')
  const whole = before.copy()
  for (let done = 0; done < bytes; done += pieceBytes) {
    const piece = new Uint8Array(Math.min(pieceBytes, bytes - done))
    if ((await file.read(piece, offset + done)) < piece.length) return undefined
    hash.update(piece)
    whole.update(piece)
  }
  file.forget(offset, bytes)
  return sha256 === undefined || hash.digest('hex') === sha256 ? whole : undefined
}

/** Writes a chunk and returns the sum of the whole after it. Throws MissingPart and BundleError. */
async function copyChunk({ file, offset, bytes, sha256 }: Chunk, reader: ContentReader, before: Hash): Promise<Hash> {
  const hash = createHash('sha256')
  const whole = before.copy()
  for (let done = 0; done < bytes; done += pieceBytes) {
    const piece = new Uint8Array(Math.min(pieceBytes, bytes - done))
    await reader.read(piece, offset + done)
    hash.update(piece)
    whole.update(piece)
    await file.write(piece, offset + done)
  }
  if (sha256 !== undefined && hash.digest('hex') !== sha256) throw damaged(reader.pathsOf(offset, bytes))
  await file.flush()
  file.forget(offset, bytes)
  return whole
}

function damaged(paths: readonly string[]): BundleError {
  const files = paths.length === 1 ? `${paths[0]} is` : `one of ${paths.join(', ')} is`
  return new BundleError(
    `${files} damaged: copy it again, or try another disk; 'inferd bundle verify' checks all files`,
  )
}

/** Nothing of a note that cannot be read, or of another content, counts. */
async function readNote(path: string, sha256: string): Promise<Set<number>> {
  try {
    const note: unknown = JSON.parse(await readFile(path, 'utf8'))
    if (!isObject(note) || note.sha256 !== sha256 || !Array.isArray(note.chunks)) return new Set()
    return new Set(note.chunks.filter((index) => typeof index === 'number'))
  } catch {
    return new Set() // none was written, or it was cut short: everything is copied again
  }
}
