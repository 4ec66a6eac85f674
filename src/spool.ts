/**
 * Uploads on their way to an engine, as files in a folder of their own. They are written while they arrive, so that no
 * upload is held in memory, and never flushed to the disk, since nobody reads them after a restart.
 */
import { randomBytes } from 'node:crypto'
import { lstatSync, mkdirSync, readdirSync, unlinkSync } from 'node:fs'
import { open, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { ApiError, storageUnavailable } from './core/errors.ts'

export interface SpoolOptions {
  /** Made when the first upload comes, for this user alone. */
  readonly folder: string
  readonly fileLimitBytes: number
  /** Of all files together. */
  readonly limitBytes: number
}

/** What production uses. */
export const spoolDefaults = { fileLimitBytes: 100 * 1024 * 1024, limitBytes: 2 * 1024 * 1024 * 1024 } as const

/** A whole upload. Dispose of it when its request ends: that deletes the file. */
export interface SpooledFile extends AsyncDisposable {
  readonly path: string
  readonly sizeBytes: number
}

/** Only files of such names are ever deleted. */
const ownName = /^upload-[0-9a-f]{32}$/

export class Spool {
  readonly #options: SpoolOptions
  /** Sizes of the files that exist, by path. */
  readonly #sizes = new Map<string, number>()
  #usedBytes = 0

  constructor(options: SpoolOptions) {
    this.#options = options
  }

  /**
   * Writes an upload into a new file. Throws ApiError 413 beyond the limit of a file, 503 `overloaded` beyond that of the
   * spool and 503 `storage_unavailable` when the disk takes no more, and the signal's reason when that aborts. Then
   * nothing of the upload is left, and no more of it is read.
   */
  async receive(upload: ReadableStream<Uint8Array>, signal: AbortSignal): Promise<SpooledFile> {
    return await this.write(piecesOf(upload, signal), this.#options.fileLimitBytes)
  }

  /**
   * Writes what the server itself makes for a request into a new file; each piece is asked for when the last one is written.
   * Throws as `receive` does, and what the pieces throw. Then nothing of the file is left.
   */
  async write(pieces: AsyncIterable<Uint8Array>, fileLimitBytes = this.#options.limitBytes): Promise<SpooledFile> {
    const path = join(this.#options.folder, `upload-${randomBytes(16).toString('hex')}`)
    this.#sizes.set(path, 0)
    const remove = () => this.#remove(path)
    try {
      makeFolder(this.#options.folder)
      const file = await open(path, 'wx', 0o600)
      try {
        for await (const bytes of pieces) {
          this.#reserve(path, bytes.length, fileLimitBytes)
          await file.writeFile(bytes)
        }
      } finally {
        await file.close()
      }
    } catch (error) {
      await remove()
      throw toSpoolError(error)
    }
    return { path, sizeBytes: this.#sizes.get(path) ?? 0, [Symbol.asyncDispose]: remove }
  }

  /** Deletes all files, when the server stops. */
  async clear(): Promise<void> {
    await Promise.all([...this.#sizes.keys()].map((path) => this.#remove(path)))
  }

  #reserve(path: string, bytes: number, fileLimitBytes: number): void {
    const { limitBytes } = this.#options
    const size = (this.#sizes.get(path) ?? 0) + bytes
    if (size > fileLimitBytes) throw tooLarge(fileLimitBytes)
    if (this.#usedBytes + bytes > limitBytes) throw tooManyUploads()
    this.#sizes.set(path, size)
    this.#usedBytes += bytes
  }

  /** A file that cannot be deleted is deleted when the server starts again. */
  async #remove(path: string): Promise<void> {
    const size = this.#sizes.get(path)
    if (size === undefined) return
    await rm(path, { force: true }).catch(() => undefined)
    if (this.#sizes.delete(path)) this.#usedBytes -= size
  }
}

/**
 * Deletes the uploads that a server left when it was killed; returns how many. To be called with the lock of the data
 * folder held, before the first upload: then no file in the spool is in use.
 */
export function sweepSpool(folder: string): number {
  if (lstatSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true) return 0
  const left = readdirSync(folder, { withFileTypes: true }).filter(
    (entry) => entry.isFile() && ownName.test(entry.name),
  )
  for (const { name } of left) unlinkSync(join(folder, name))
  return left.length
}

function makeFolder(folder: string): void {
  try {
    mkdirSync(folder, { mode: 0o700 })
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error
    if (!lstatSync(folder).isDirectory()) throw new Error(`${folder} is no folder: move it away`)
  }
}

/** What arrives, piece by piece; the next piece is asked for when the last one was dealt with. */
async function* piecesOf(upload: ReadableStream<Uint8Array>, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  const reader = upload.getReader()
  // A read that waits then ends. It rejects where the client is gone already.
  const cancel = () => void reader.cancel().catch(() => undefined)
  signal.addEventListener('abort', cancel)
  try {
    signal.throwIfAborted()
    for (let piece = await reader.read(); !piece.done; piece = await reader.read()) yield piece.value
    signal.throwIfAborted()
  } finally {
    signal.removeEventListener('abort', cancel)
    cancel()
  }
}

/** What the system's refusal to write says about the disk. None of these is a fault of the request. */
const diskProblems: Readonly<Record<string, string>> = {
  ENOSPC: 'its disk is full',
  EDQUOT: 'its share of the disk is used up',
  EFBIG: 'its disk takes no file of this size',
  EIO: 'its disk fails',
  EROFS: 'its disk is read-only',
  ENOENT: 'its data folder is gone',
}

function toSpoolError(error: unknown): unknown {
  const problem = diskProblems[codeOf(error)]
  return problem === undefined ? error : storageUnavailable(`The server cannot store uploads now: ${problem}.`, error)
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : ''
}

function tooLarge(limitBytes: number): ApiError {
  const message = `A file may have at most ${limitBytes} bytes.`
  return new ApiError('payload_too_large', message, { code: 'payload_too_large' })
}

function tooManyUploads(): ApiError {
  const message = 'Too many uploads are on their way. Try again later.'
  return new ApiError('unavailable', message, { code: 'overloaded', retryAfterSeconds: 5 })
}
