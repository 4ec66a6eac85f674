/**
 * Files of requests and answers that are too large for memory, in one folder. They are written piece by piece as they
 * arrive, and never flushed, since nobody reads them after a restart.
 */
import { randomBytes } from 'node:crypto'
import { lstatSync, mkdirSync, readdirSync, unlinkSync } from 'node:fs'
import { open, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { ApiError, storageUnavailable } from '../core/errors.ts'

export interface SpoolOptions {
  /** Folder of the files. Created at the first upload, for this user only. */
  readonly folder: string
  readonly fileLimitBytes: number
  /** Limit on the bytes of all files together. */
  readonly limitBytes: number
  /** Limit on the bytes of one account, so that no account fills the spool. */
  readonly accountLimitBytes: number
  /**
   * Bytes reserved for accounts with at most `smallAccountBytes`, which long recordings of others must not keep out.
   */
  readonly smallReserveBytes: number
  readonly smallAccountBytes: number
  /** Limit on the files of one account. */
  readonly accountFiles: number
}

const gigabyte = 1024 * 1024 * 1024

/**
 * Limits in production. They allow an account one recording of twelve hours, as sent and decoded, or ten requests with
 * the most pictures.
 */
export const spoolDefaults = {
  fileLimitBytes: 100 * 1024 * 1024,
  limitBytes: 4 * gigabyte,
  accountLimitBytes: 2 * gigabyte,
  smallReserveBytes: gigabyte,
  smallAccountBytes: gigabyte / 16,
  accountFiles: 1024,
} as const

/** Account whose spool quota a file counts against, and the file's limit. */
interface SpooledFor {
  readonly accountId: string
  /** Limit on the file's bytes. Defaults to the account's limit. */
  readonly limitBytes?: number
}

/** Complete upload. Dispose of it when its request ends, which deletes the file. */
export interface SpooledFile extends AsyncDisposable {
  readonly path: string
  readonly sizeBytes: number
}

/** Names of the only files that are ever deleted. */
const ownName = /^upload-[0-9a-f]{32}$/

export class Spool {
  readonly #options: SpoolOptions
  /** Existing files by path. */
  readonly #files = new Map<string, { readonly accountId: string; sizeBytes: number }>()
  /** Files and bytes per account. Accounts without files have no entry. */
  readonly #accounts = new Map<string, { files: number; bytes: number }>()
  #usedBytes = 0

  constructor(options: SpoolOptions) {
    this.#options = options
  }

  /** Bytes of an upload. */
  get fileLimitBytes(): number {
    return this.#options.fileLimitBytes
  }

  /** Returns the limit on the bytes of one account. */
  get accountLimitBytes(): number {
    return this.#options.accountLimitBytes
  }

  /**
   * Writes an upload into a new file. Throws as `write` does, with ApiError 413 if the upload exceeds the limit of a
   * file.
   */
  async receive(upload: AsyncIterable<Uint8Array>, accountId: string): Promise<SpooledFile> {
    return await this.write(upload, { accountId, limitBytes: this.#options.fileLimitBytes })
  }

  /**
   * Writes the pieces into a new file, each requested once the last one is written. Throws ApiError 413 beyond the
   * limit of the file, 503 `overloaded` beyond that of the account or of the spool, 503 `storage_unavailable` if the
   * disk refuses a write, and what the pieces throw. It then deletes the file and requests no more pieces.
   */
  async write(pieces: AsyncIterable<Uint8Array>, { accountId, limitBytes }: SpooledFor): Promise<SpooledFile> {
    const path = join(this.#options.folder, `upload-${randomBytes(16).toString('hex')}`)
    this.#add(path, accountId)
    const remove = () => this.#remove(path)
    try {
      makeFolder(this.#options.folder)
      const file = await open(path, 'wx', 0o600)
      try {
        for await (const bytes of pieces) {
          this.#reserve(path, bytes.length, limitBytes)
          await file.writeFile(bytes)
        }
      } finally {
        await file.close()
      }
    } catch (error) {
      await remove()
      throw toSpoolError(error)
    }
    return { path, sizeBytes: this.#files.get(path)?.sizeBytes ?? 0, [Symbol.asyncDispose]: remove }
  }

  /** Deletes all files at the server's stop. */
  async clear(): Promise<void> {
    await Promise.all([...this.#files.keys()].map((path) => this.#remove(path)))
  }

  #add(path: string, accountId: string): void {
    const account = this.#accounts.get(accountId) ?? { files: 0, bytes: 0 }
    if (account.files >= this.#options.accountFiles) throw tooManyUploads('The account has')
    account.files += 1
    this.#accounts.set(accountId, account)
    this.#files.set(path, { accountId, sizeBytes: 0 })
  }

  #reserve(path: string, bytes: number, fileLimitBytes = Number.POSITIVE_INFINITY): void {
    const { limitBytes, accountLimitBytes, smallReserveBytes, smallAccountBytes } = this.#options
    const file = this.#files.get(path)
    const account = this.#accounts.get(file?.accountId ?? '')
    if (file === undefined || account === undefined) throw new Error('the spool was cleared: the server stops')
    if (file.sizeBytes + bytes > fileLimitBytes) throw tooLarge(fileLimitBytes)
    if (account.bytes + bytes > accountLimitBytes) throw tooManyUploads('The account has')
    const reservedBytes = account.bytes + bytes > smallAccountBytes ? smallReserveBytes : 0
    if (this.#usedBytes + bytes > limitBytes - reservedBytes) throw tooManyUploads('There are')
    file.sizeBytes += bytes
    account.bytes += bytes
    this.#usedBytes += bytes
  }

  /** Deletes a file. If that fails, the server's next start deletes it. */
  async #remove(path: string): Promise<void> {
    if (!this.#files.has(path)) return
    await rm(path, { force: true }).catch(() => undefined)
    const file = this.#files.get(path)
    const account = this.#accounts.get(file?.accountId ?? '')
    if (file === undefined || account === undefined || !this.#files.delete(path)) return
    this.#usedBytes -= file.sizeBytes
    account.bytes -= file.sizeBytes
    account.files -= 1
    if (account.files === 0) this.#accounts.delete(file.accountId)
  }
}

/**
 * Deletes the uploads that a killed server left, and returns their number. Call it with the lock of the data folder
 * held and before the first upload, when no file in the spool is in use.
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

/** Reasons by the system's code of a refused write. None is the request's fault. */
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

/** Returns the error. `who` begins the sentence. */
function tooManyUploads(who: 'The account has' | 'There are'): ApiError {
  const message = `${who} too many uploads on their way. Try again when some of them are done.`
  return new ApiError('unavailable', message, { code: 'overloaded', retryAfterSeconds: 5 })
}
