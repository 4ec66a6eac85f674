/** Backups that operators upload, in a folder of their own: the schedule deletes none of them, and there is one at a time. */
import { randomBytes } from 'node:crypto'
import { mkdirSync, rmSync, statSync } from 'node:fs'
import { rename } from 'node:fs/promises'
import { join } from 'node:path'
import { namesIn } from '../core/names-in.ts'
import { type Disk, realDisk } from '../store/disk.ts'
import { BackupError, backupFileName, backupTimeMs, withAdvice } from './backup-format.ts'
import type { Backup } from './write-backup.ts'

/** Bytes that stay free on the disk for everything else. */
const keptFreeBytes = 256 * 1024 ** 2
const prefix = 'uploaded-'
const receivingName = 'receiving.tar'

export class UploadedBackups {
  readonly #folder: string
  readonly #dataDir: string
  readonly #disk: Disk
  /** Id of the upload that waits for its check. Undefined without one. */
  #received: string | undefined
  #isReceiving = false

  /** Deletes the part of an upload during which an earlier server was killed. */
  constructor(dataDir: string, disk: Disk = realDisk) {
    this.#folder = join(dataDir, 'uploaded')
    this.#dataDir = dataDir
    this.#disk = disk
    rmSync(this.#receivedPath(), { force: true })
  }

  /** Returns the backups that were uploaded, the latest first. */
  list(): (Backup & { readonly name: string })[] {
    return namesIn(this.#folder).flatMap((name) => {
      const createdMs = name.startsWith(prefix) ? backupTimeMs(name.slice(prefix.length)) : undefined
      const path = join(this.#folder, name)
      const bytes = statSync(path, { throwIfNoEntry: false })?.size
      return createdMs === undefined || bytes === undefined ? [] : [{ name, path, bytes, createdMs }]
    })
  }

  /** Returns the size of the largest backup that the disk has room for, as a file and unpacked. */
  async limitBytes(): Promise<number> {
    const { freeBytes } = await this.#disk.room(this.#dataDir)
    return Math.max(0, Math.floor((freeBytes - keptFreeBytes) / 2))
  }

  /** Writes an upload to the disk as it arrives. Returns its id. Throws BackupError, and errors of `content`. */
  async receive(content: AsyncIterable<Uint8Array>): Promise<string> {
    if (this.#isReceiving) throw new BackupError('another backup is being uploaded; wait until it is here')
    this.#isReceiving = true
    this.#received = undefined
    const path = this.#receivedPath()
    try {
      mkdirSync(this.#folder, { recursive: true, mode: 0o700 })
      await this.#disk.remove(path)
      await using file = await this.#disk.open(path)
      let offset = 0
      for await (const piece of content) {
        await file.write(piece, offset)
        offset += piece.length
      }
      await file.flush()
      this.#received = randomBytes(16).toString('hex')
      return this.#received
    } catch (error) {
      rmSync(path, { force: true })
      // The client's errors have no path.
      const isOfDisk = error instanceof Error && 'path' in error
      throw isOfDisk ? withAdvice(error, `${path} was not written`, 'make room there') : error
    } finally {
      this.#isReceiving = false
    }
  }

  /**
   * Keeps an upload in the place of earlier ones if `check` accepts it, and deletes it otherwise. Returns what `check`
   * does. Throws BackupError if there is no such upload, and errors of `check`.
   */
  async take<Checked extends { readonly createdMs: number }>(
    upload: string,
    check: (path: string) => Promise<Checked>,
  ): Promise<Checked & { readonly name: string; readonly path: string }> {
    if (upload !== this.#received) throw new BackupError('another upload has taken its place; upload it again')
    this.#received = undefined
    // A later upload must wait until this one has its name.
    this.#isReceiving = true
    const path = this.#receivedPath()
    try {
      const checked = await check(path)
      const name = prefix + backupFileName(checked.createdMs)
      for (const earlier of this.list()) rmSync(earlier.path, { force: true })
      await rename(path, join(this.#folder, name))
      return { ...checked, name, path: join(this.#folder, name) }
    } catch (error) {
      rmSync(path, { force: true })
      throw error
    } finally {
      this.#isReceiving = false
    }
  }

  /** Deletes an uploaded backup. Returns false if there is none of this name. */
  remove(name: string): boolean {
    const found = this.list().find((backup) => backup.name === name)
    if (found !== undefined) rmSync(found.path, { force: true })
    return found !== undefined
  }

  #receivedPath(): string {
    return join(this.#folder, receivingName)
  }
}
