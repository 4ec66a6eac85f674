import { stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { Disk, DiskFile } from '../disk.ts'
import type { FileSums } from '../hash-file.ts'
import { ChunkWriter } from './chunk-writer.ts'
import type { HashThread, WholeSum } from './hash-thread.ts'
import { chunksInNote, type PartIdentity, writeNote } from './part-note.ts'

/** Error of written bytes that do not match the chunk's checksum. */
export class WrongChunk extends Error {
  override name = 'WrongChunk'
}

interface PartOptions {
  /** Path of the complete file. The part and its note lie beside it. */
  readonly target: string
  readonly identity: PartIdentity
  readonly chunkBytes: number
  /** Expected checksums of the chunks. Undefined if unknown. */
  readonly chunkSums?: readonly string[] | undefined
  readonly disk: Disk
  readonly hashes: HashThread
  readonly signal: AbortSignal
  /** Called with the bytes of the whole file hashed so far, from its start. */
  readonly onHashed: (bytes: number) => void
}

/**
 * File being downloaded: `<target>.part`, as long as the whole file, and `<target>.part.json`. A chunk is in the note
 * only once its bytes are on the disk. The checksum of the whole file follows the writes in order.
 */
export class PartFile implements AsyncDisposable {
  readonly path: string
  readonly #options: PartOptions
  readonly #file: DiskFile
  readonly #done: Map<number, string>
  /** Chunks being written. */
  readonly #writers = new Map<number, ChunkWriter>()
  /** Checksums of complete chunks that are not yet in the note. */
  #written = new Map<number, string>()
  /** Complete chunks, which the checksum of the whole file may follow. */
  readonly #complete = new Set<number>()
  readonly #whole: WholeSum
  #front = 0
  #committing: Promise<void> = Promise.resolve()
  #following: Promise<void> = Promise.resolve()
  #failure: unknown

  private constructor(options: PartOptions, file: DiskFile, done: Map<number, string>) {
    this.#options = options
    this.#file = file
    this.#done = done
    this.path = partPath(options.target)
    this.#whole = options.hashes.beginWhole()
  }

  /**
   * Opens the existing part if its content is the same, else begins a new one. Chunks in its note are read and compared
   * with their checksums; differing ones are missing again. Throws ENOSPC if the disk is full.
   */
  static async open(options: PartOptions): Promise<PartFile> {
    const { target, identity, disk } = options
    const size = await stat(partPath(target)).then(
      (found) => found.size,
      () => undefined,
    )
    const done = size === identity.bytes ? chunksInNote(notePath(target), identity) : new Map<number, string>()
    // Without this, an old note would vouch for new bytes.
    if (done.size === 0) await discardPart(target, disk)
    const file = await disk.open(partPath(target))
    try {
      if (done.size === 0) await file.reserve(identity.bytes)
      const part = new PartFile(options, file, done)
      await part.#checkDone()
      return part
    } catch (error) {
      await file[Symbol.asyncDispose]()
      if (done.size === 0) await discardPart(target, disk)
      throw error
    }
  }

  get chunkBytes(): number {
    return this.#options.chunkBytes
  }

  /** Bytes of complete chunks. */
  get doneBytes(): number {
    return [...this.#complete].reduce((sum, index) => sum + this.#piece(index).bytes, 0)
  }

  /** Bytes of the whole file hashed so far. */
  get hashedBytes(): number {
    return Math.min(this.#front * this.chunkBytes, this.#options.identity.bytes)
  }

  isDone(index: number): boolean {
    return this.#complete.has(index)
  }

  /**
   * Takes bytes of one chunk: from its start, or following the last ones. A complete chunk soon gets into the note.
   * Throws WrongChunk; then the chunk is missing again.
   */
  async write(bytes: Uint8Array, offset: number): Promise<void> {
    if (this.#failure !== undefined) throw this.#failure
    const index = Math.floor(offset / this.chunkBytes)
    const sum = await this.#writer(index, offset).write(bytes)
    if (sum === undefined) return
    this.#writers.delete(index)
    const expected = this.#options.chunkSums?.[index] ?? sum
    if (sum !== expected) throw new WrongChunk(`chunk ${index} has the sum ${sum} instead of ${expected}`)
    this.#complete.add(index)
    this.#written.set(index, sum)
    void this.#work()
  }

  /** Waits until all complete chunks are in the note and hashed. Throws a disk error of earlier writes. */
  async settle(): Promise<void> {
    await this.#work()
    if (this.#failure !== undefined) throw this.#failure
  }

  /** Returns the checksums of the whole file once all chunks are complete. */
  async end(): Promise<FileSums> {
    await this.settle()
    const { bytes } = this.#options.identity
    const chunkSums = [...this.#done].sort(([left], [right]) => left - right).map(([, sum]) => sum)
    return { bytes, sha256: await this.#whole.end(), chunkSums }
  }

  /** Closes the part. Its chunks stay for the next time. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.settle().catch(() => undefined)
    this.#whole[Symbol.dispose]()
    await this.#file[Symbol.asyncDispose]()
  }

  #writer(index: number, offset: number): ChunkWriter {
    const begun = this.#writers.get(index)
    if (begun?.offset === offset) return begun
    const chunk = this.#piece(index)
    if (chunk.offset !== offset) throw new Error(`bytes of chunk ${index} came out of order: this is a bug`)
    const writer = new ChunkWriter(this.#file, offset, chunk.bytes)
    this.#writers.set(index, writer)
    return writer
  }

  /**
   * Hashes and commits complete chunks. Hashing and committing each run once at a time; callers during a run wait for
   * another one.
   */
  async #work(): Promise<void> {
    const run = async (before: Promise<void>, work: () => Promise<void>) => {
      await before
      if (this.#failure !== undefined) return
      await work().catch((error: unknown) => {
        this.#failure ??= error
      })
    }
    this.#following = run(this.#following, () => this.#follow())
    this.#committing = run(this.#committing, () => this.#commit())
    await Promise.all([this.#following, this.#committing])
  }

  async #checkDone(): Promise<void> {
    for (const [index, expected] of this.#done) {
      this.#options.signal.throwIfAborted()
      const found = await this.#options.hashes.sumOfChunk(this.#piece(index))
      if (found !== expected) this.#done.delete(index)
      else this.#complete.add(index)
      await this.#follow()
    }
  }

  /** Hashes the whole file up to the first gap. */
  async #follow(): Promise<void> {
    while (this.#complete.has(this.#front) && !this.#options.signal.aborted) {
      const piece = this.#piece(this.#front)
      await this.#whole.follow(piece)
      this.#front++
      this.#options.onHashed(piece.offset + piece.bytes)
      this.#forget(this.#front - 1)
    }
  }

  async #commit(): Promise<void> {
    while (this.#written.size > 0) {
      const batch = this.#written
      this.#written = new Map()
      await this.#file.flush()
      for (const [index, sum] of batch) {
        this.#done.set(index, sum)
        this.#forget(index)
      }
      await writeNote(notePath(this.#options.target), this.#options.identity, this.#done, this.#options.disk)
    }
  }

  /** Drops a flushed and hashed chunk from the page cache. */
  #forget(index: number): void {
    if (index >= this.#front || !this.#done.has(index)) return
    const { offset, bytes } = this.#piece(index)
    this.#file.forget(offset, bytes)
  }

  #piece(index: number) {
    const offset = index * this.chunkBytes
    return { path: this.path, offset, bytes: Math.min(this.chunkBytes, this.#options.identity.bytes - offset) }
  }
}

/** Suffix of a part's name. */
export const partSuffix = '.part'

export function partPath(target: string): string {
  return `${target}${partSuffix}`
}

export function notePath(target: string): string {
  return `${target}.part.json`
}

/** Removes a part and its note, durably, the note first. */
export async function discardPart(target: string, disk: Disk): Promise<void> {
  await disk.remove(notePath(target))
  await disk.flushFolder(dirname(target))
  await disk.remove(partPath(target))
}
