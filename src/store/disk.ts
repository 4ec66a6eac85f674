/**
 * Operations that change files in the store. Nothing survives a power cut until it is flushed: a file's bytes by
 * `flush`, its name by `flushFolder`. Tests use a disk that loses unflushed data, or is full.
 */
import { constants, writeSync } from 'node:fs'
import { open, rename, rm, statfs } from 'node:fs/promises'
import { dropFromCache, reserveBytes } from './libc.ts'

export interface Disk {
  /** Opens for reading and writing. Creates a missing file for its owner alone. */
  open(path: string): Promise<DiskFile>
  rename(from: string, to: string): Promise<void>
  /** Removes a file. A missing file is no error. */
  remove(path: string): Promise<void>
  /** Flushes the names in a folder. */
  flushFolder(path: string): Promise<void>
  /** Returns the space of the file system that holds a folder. */
  room(folder: string): Promise<{ readonly freeBytes: number; readonly totalBytes: number }>
}

export interface DiskFile extends AsyncDisposable {
  write(bytes: Uint8Array, offset: number): Promise<void>
  /** Reads up to `bytes.length` bytes; fewer only at the end of the file. */
  read(bytes: Uint8Array, offset: number): Promise<number>
  truncate(bytes: number): Promise<void>
  /** Sets the file's size and, where the system can, takes the disk space at once. Throws ENOSPC. */
  reserve(bytes: number): Promise<void>
  /** Makes content and size survive a power cut. */
  flush(): Promise<void>
  /** Drops flushed bytes from the page cache, so that they do not displace models. */
  forget(offset: number, bytes: number): void
}

const { O_RDWR, O_CREAT, O_NOFOLLOW } = constants

/** Returns the bytes that downloads leave free: the larger of 5 GiB and 2 % of the disk. */
export function keptFreeBytes(totalBytes: number): number {
  return Math.max(5 * 1024 ** 3, 0.02 * totalBytes)
}

export const realDisk: Disk = {
  async rename(from, to) {
    await rename(from, to)
    await rm(from, { force: true }) // still there where both were links of one file
  },
  async room(folder) {
    const { bsize, bavail, blocks } = await statfs(folder)
    return { freeBytes: bsize * bavail, totalBytes: bsize * blocks }
  },
  remove: (path) => rm(path, { force: true }),
  async flushFolder(path) {
    await using folder = await open(path, 'r')
    await folder.sync()
  },
  async open(path) {
    // Never follows a link that somebody may have put there.
    const file = await open(path, O_RDWR | O_CREAT | O_NOFOLLOW, 0o600)
    return {
      // Synchronous: this goes to the page cache, and another thread would cost as much again.
      write: async (bytes, offset) => {
        let written = 0
        while (written < bytes.length) {
          written += writeSync(file.fd, bytes, written, bytes.length - written, offset + written)
        }
      },
      read: async (bytes, offset) => {
        let filled = 0
        while (filled < bytes.length) {
          const { bytesRead } = await file.read(bytes, filled, bytes.length - filled, offset + filled)
          if (bytesRead === 0) break
          filled += bytesRead
        }
        return filled
      },
      truncate: (bytes) => file.truncate(bytes),
      reserve: async (bytes) => reserveBytes(file.fd, bytes),
      flush: () => file.datasync(),
      forget: (offset, bytes) => dropFromCache(file.fd, offset, bytes),
      [Symbol.asyncDispose]: () => file.close(),
    }
  },
}
