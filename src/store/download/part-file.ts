import { stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { Disk, DiskFile } from '../disk.ts'
import type { FileSums } from '../hash-file.ts'
import { ChunkWriter } from './chunk-writer.ts'
import type { HashThread, WholeSum } from './hash-thread.ts'
import { type PartIdentity, readNote, writeNote } from './part-note.ts'

/** What was written is not the chunk that it should be. */
export class WrongChunk extends Error {
  override name = 'WrongChunk'
}

export interface PartOptions {
  /** Where the whole file will be; the part and its note lie beside it. */
  readonly target: string
  readonly identity: PartIdentity
  readonly chunkBytes: number
  /** What the chunks must be, where that is known. */
  readonly chunkSums?: readonly string[] | undefined
  readonly disk: Disk
  readonly hashes: HashThread
  readonly signal: AbortSignal
  /** Bytes of the whole that have been hashed, from the first on. */
  readonly onHashed: (bytes: number) => void
}

/**
 * A file that is being downloaded: `<target>.part`, as long as the whole file, and `<target>.part.json`. A chunk is in the
 * note only when its bytes are on the disk. The sum of the whole is made behind the writes, in order.
 */
export class PartFile {
  readonly path: string
  readonly #options: PartOptions
  readonly #file: DiskFile
  readonly #done: Map<number, string>
  /** Being written. */
  readonly #writers = new Map<number, ChunkWriter>()
  /** Sums of those that are written whole, and not yet in the note. */
  #written = new Map<number, string>()
  /** Written whole: what the sum of the whole may follow. */
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
   * Goes on with the part that is there if it is of the same content, else begins a new one. Chunks in its note are read and
   * compared with their sums; what differs is missing again. Throws ENOSPC when there is no room.
   */
  static async open(options: PartOptions): Promise<PartFile> {
    const { target, identity, disk } = options
    const size = await stat(partPath(target)).then(
      (found) => found.size,
      () => undefined,
    )
    const done = size === identity.bytes ? readNote(notePath(target), identity) : new Map<number, string>()
    // An old note must not vouch for new bytes.
    if (done.size === 0) await discardPart(target, disk)
    const file = await disk.open(partPath(target))
    try {
      if (done.size === 0) await file.reserve(identity.bytes)
      const part = new PartFile(options, file, done)
      await part.#checkDone()
      return part
    } catch (error) {
      await file.close()
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

  /** Bytes of the whole that have been hashed. */
  get hashedBytes(): number {
    return Math.min(this.#front * this.chunkBytes, this.#options.identity.bytes)
  }

  isDone(index: number): boolean {
    return this.#complete.has(index)
  }

  /**
   * Takes bytes of one chunk: from its begin, or those that follow the last ones. A chunk that is written whole gets into the
   * note soon. Throws WrongChunk; then the chunk is missing again.
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

  /** Waits until all complete chunks are in the note and hashed. Throws what went wrong on the disk. */
  async settle(): Promise<void> {
    await this.#work()
    if (this.#failure !== undefined) throw this.#failure
  }

  /** The sums of the whole file, all of whose chunks are complete. */
  async end(): Promise<FileSums> {
    await this.settle()
    const { bytes } = this.#options.identity
    const chunkSums = [...this.#done].sort(([left], [right]) => left - right).map(([, sum]) => sum)
    return { bytes, sha256: await this.#whole.end(), chunkSums }
  }

  /** What is there stays for the next time. */
  async close(): Promise<void> {
    await this.settle().catch(() => undefined)
    this.#whole.drop()
    await this.#file.close()
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

  /** Each kind of work runs once at a time; whoever asks while it runs waits for another run. */
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

  /** Hashes the whole as far as there is no gap. */
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

  /** Once it is flushed and hashed, nobody reads a chunk again soon. */
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

/** Of the name of a part. */
export const partSuffix = '.part'

export function partPath(target: string): string {
  return `${target}${partSuffix}`
}

export function notePath(target: string): string {
  return `${target}.part.json`
}

/** Removes a part and its note; the note first, for good. */
export async function discardPart(target: string, disk: Disk): Promise<void> {
  await disk.remove(notePath(target))
  await disk.flushFolder(dirname(target))
  await disk.remove(partPath(target))
}
