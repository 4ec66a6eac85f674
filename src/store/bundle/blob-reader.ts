import type { FileHandle } from 'node:fs/promises'
import { FileError } from '../../catalog/stat-file.ts'
import type { ContentReader } from './join-content.ts'
import { partPath } from './layout.ts'
import { type Blob, BundleError } from './manifest.ts'
import { openOnMedium } from './medium.ts'

/** Error of a part that is on none of the present disks. */
export class MissingPart extends Error {
  override name = 'MissingPart'
  readonly path: string

  constructor(path: string) {
    super(`${path} is missing`)
    this.path = path
  }
}

/** Reads a content from its parts, at any offset. Does not check it. */
export class BlobReader implements ContentReader {
  readonly #roots: readonly string[]
  readonly #blob: Blob
  #open: { readonly index: number; readonly file: FileHandle } | undefined

  constructor(roots: readonly string[], blob: Blob) {
    this.#roots = roots
    this.#blob = blob
  }

  async read(bytes: Uint8Array, offset: number): Promise<void> {
    for (let filled = 0; filled < bytes.length; ) {
      const { index, start, length } = this.#partAt(offset + filled)
      const file = await this.#part(index)
      const place = offset + filled - start
      const wanted = bytes.subarray(filled, filled + length - place)
      const { bytesRead } = await file.read(wanted, 0, wanted.length, place).catch((error: unknown) => {
        throw this.#bad(
          index,
          error instanceof Error && 'code' in error ? `cannot be read (${error.code})` : String(error),
        )
      })
      if (bytesRead === 0) throw this.#bad(index, 'is cut short')
      filled += bytesRead
    }
  }

  pathsOf(offset: number, bytes: number): string[] {
    const first = this.#partAt(offset).index
    const last = this.#partAt(offset + Math.max(0, bytes - 1)).index
    return Array.from({ length: last - first + 1 }, (_, index) => partPath(this.#blob.sha256, first + index))
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#open?.file.close()
    this.#open = undefined
  }

  #partAt(offset: number): { readonly index: number; readonly start: number; readonly length: number } {
    let start = 0
    for (const [index, part] of this.#blob.parts.entries()) {
      if (offset < start + part.bytes) return { index, start, length: part.bytes }
      start += part.bytes
    }
    throw new Error(`${this.#blob.sha256} has no byte ${offset}: this is a bug`)
  }

  async #part(index: number): Promise<FileHandle> {
    if (this.#open?.index === index) return this.#open.file
    await this[Symbol.asyncDispose]()
    const path = partPath(this.#blob.sha256, index)
    for (const root of this.#roots) {
      const file = await openOnMedium(root, path).catch((error: unknown) => {
        throw error instanceof FileError ? this.#bad(index, error.message) : error
      })
      if (file === undefined) continue
      this.#open = { index, file }
      return file
    }
    throw new MissingPart(path)
  }

  #bad(index: number, problem: string): BundleError {
    return new BundleError(`${partPath(this.#blob.sha256, index)} ${problem}; 'inferd bundle verify' checks all files`)
  }
}
