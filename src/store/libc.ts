/**
 * Linux calls that Bun lacks: to reserve space for a file, to drop flushed bytes from the page cache (a 60 GB download
 * otherwise displaces the served models), to lock a file until its process ends, and to exchange two folders.
 */
import { dlopen, ptr, read } from 'bun:ffi'
import { ftruncateSync } from 'node:fs'

const dontNeed = 4
const exclusiveNow = 2 | 4
/** System call number: not every C library has the function. */
const renameat2 = { x64: 316, arm64: 276 }[process.arch as string]
const currentFolder = -100
const exchange = 2
/** Linux error numbers that mean that the file cannot have this size here. */
const refusals = new Map([
  [5, 'EIO'],
  [27, 'EFBIG'],
  [28, 'ENOSPC'],
  [122, 'EDQUOT'],
])

/** Library names of glibc and musl. */
const libraryNames = ['libc.so.6', 'libc.musl-x86_64.so.1']

function openLibrary() {
  for (const name of libraryNames) {
    try {
      return dlopen(name, {
        fallocate: { args: ['i32', 'i32', 'i64', 'i64'], returns: 'i32' },
        posix_fadvise: { args: ['i32', 'i64', 'i64', 'i32'], returns: 'i32' },
        flock: { args: ['i32', 'i32'], returns: 'i32' },
        syscall: { args: ['i64', 'i32', 'ptr', 'i32', 'ptr', 'u32'], returns: 'i64' },
        __errno_location: { args: [], returns: 'ptr' },
      }).symbols
    } catch {
      // another C library
    }
  }
  return undefined
}

let library: ReturnType<typeof openLibrary> | 'unopened' = 'unopened'

function opened() {
  if (library === 'unopened') library = openLibrary()
  return library
}

/** Gives a file this size and, where the file system can, takes its disk space. Throws ENOSPC and the like. */
export function reserveBytes(descriptor: number, bytes: number): void {
  const native = opened()
  if (native !== undefined && bytes > 0 && native.fallocate(descriptor, 0, 0n, BigInt(bytes)) === -1) {
    const location = native.__errno_location()
    const code = location === null ? undefined : refusals.get(read.i32(location, 0))
    if (code !== undefined) throw Object.assign(new Error(`${code}: no room for ${bytes} bytes`), { code })
  }
  ftruncateSync(descriptor, bytes)
}

/** Drops these bytes of a file from the page cache. Unflushed ones stay. */
export function dropFromCache(descriptor: number, offset: number, bytes: number): void {
  opened()?.posix_fadvise(descriptor, BigInt(offset), BigInt(bytes), dontNeed)
}

/**
 * Takes the lock of an open file. Returns false if another process or descriptor holds it. The lock is released when
 * the descriptor is closed or the process dies.
 */
export function tryLock(descriptor: number): boolean {
  const native = opened()
  if (native === undefined) throw new Error(`files cannot be locked: none of ${libraryNames.join(', ')} is there`)
  return native.flock(descriptor, exclusiveNow) === 0
}

/** Exchanges two files or folders of one file system in one step. Returns false if the system cannot. */
export function exchangeNames(left: string, right: string): boolean {
  const native = opened()
  if (native === undefined || renameat2 === undefined) return false
  const [first, second] = [Buffer.from(`${left}\0`), Buffer.from(`${right}\0`)]
  return native.syscall(BigInt(renameat2), currentFolder, ptr(first), currentFolder, ptr(second), exchange) === 0n
}
